# Ctrl-X S: pick a session with the current line as the query; its resume command becomes the line.
# For ~/.config/fish/config.fish: session-search shell-init fish | source
function __session_search_pick
    set -l line (commandline | string collect)
    set -l picked (session-search browse --print-command -- "$line" | string collect)
    if test -n "$picked"
        commandline --replace -- $picked
    end
    commandline --function repaint
end
if status is-interactive
    for key in \cxs \cxS
        bind $key __session_search_pick
        bind --mode insert $key __session_search_pick
    end
end
