# Ctrl-X S: pick a session with the current line as the query; its resume command becomes the line.
# For ~/.zshrc: eval "$(session-search shell-init zsh)"
__session_search_pick() {
  emulate -L zsh
  local picked tty=$TTY
  # The line editor takes the terminal away from the stdin of what a widget runs. It gets the terminal's own device:
  # macOS tells no program of keys that are typed on /dev/tty. After `su` the device is that of the user before.
  [[ -r $tty ]] || tty=/dev/tty
  picked=$(session-search browse --print-command -- "$BUFFER" <"$tty")
  if [[ $? == 0 && -n $picked ]]; then
    BUFFER=$picked
    CURSOR=${#BUFFER}
  fi
  zle reset-prompt
}
if [[ -o interactive ]]; then
  zle -N __session_search_pick
  bindkey -M emacs '^Xs' __session_search_pick
  bindkey -M emacs '^XS' __session_search_pick
  bindkey -M viins '^Xs' __session_search_pick
  bindkey -M viins '^XS' __session_search_pick
fi
