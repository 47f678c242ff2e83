# Ctrl-X S: pick a session with the current line as the query; its resume command becomes the line.
# Needs bash 4 or newer. For ~/.bashrc: eval "$(session-search shell-init bash)"
__session_search_pick() {
  local picked
  picked=$(session-search browse --print-command -- "$READLINE_LINE") || return 0
  if [ -n "$picked" ]; then
    READLINE_LINE=$picked
    READLINE_POINT=${#picked}
  fi
}
if [[ $- == *i* ]]; then
  bind -m emacs -x '"\C-xs": __session_search_pick'
  bind -m vi-insert -x '"\C-xs": __session_search_pick'
fi
