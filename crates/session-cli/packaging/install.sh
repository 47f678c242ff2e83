#!/bin/sh
# Installs session-search from a release: downloads the archive for this platform, compares it with its
# SHA-256 and copies the program to a directory of the user's. Needs no root and changes nothing else.
#
#   sh install.sh [--to DIR] [--version VERSION]
#
# SESSION_SEARCH_DOWNLOAD_URL names another place than the repository's releases, with a directory for each version.
# The release workflow fills in the two values below.
set -eu

VERSION='@VERSION@'
REPOSITORY='@REPOSITORY@'

fail() {
    printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
    exit 1
}

need() {
    command -v "$1" >/dev/null 2>&1 || fail "there is no \`$1\` on PATH" "install it, or install session-search with pip"
}

# True where programs for glibc start.
has_glibc() {
    [ -e /lib64/ld-linux-x86-64.so.2 ] || [ -e /lib/ld-linux-aarch64.so.1 ]
}

# Sets `target` to this machine's target triple, as the archives are named.
detect_target() {
    system=$(uname -s) machine=$(uname -m)
    build="build it: cargo install --locked --git $REPOSITORY session-cli"
    if [ "$system" = Darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then
        machine=arm64 # a shell under Rosetta
    fi
    case "$system $machine" in
        'Linux x86_64' | 'Linux amd64') target=x86_64-unknown-linux-gnu ;;
        'Linux aarch64' | 'Linux arm64') target=aarch64-unknown-linux-gnu ;;
        'Darwin arm64') target=aarch64-apple-darwin ;;
        'Darwin x86_64') target=x86_64-apple-darwin ;;
        *) fail "there is no program for $system $machine" "on Windows use pip; elsewhere $build" ;;
    esac
    [ "$system" != Linux ] || has_glibc || fail "there is no program for Linux without glibc" "$build"
}

download() {
    if command -v curl >/dev/null 2>&1; then
        curl --fail --silent --show-error --location --proto-redir =https --output "$2" "$1"
    elif command -v wget >/dev/null 2>&1; then
        wget --quiet --output-document="$2" "$1"
    else
        fail "there is neither \`curl\` nor \`wget\` on PATH" "install one of them"
    fi || fail "cannot download $1" "see that this version was released for this platform, and that the network is up"
}

sha256() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum "$1"
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 "$1"
    else
        fail "there is neither \`sha256sum\` nor \`shasum\` on PATH" "install one of them: nothing is installed unchecked"
    fi
}

# Compares a file with the line of its name in SHA256SUMS.
check() {
    expected=$(awk -v name="$2" '$2 == name || $2 == "*" name { print $1 }' "$3")
    found=$(sha256 "$1")
    found=${found%% *}
    [ -n "$expected" ] || fail "SHA256SUMS does not name $2" "nothing was installed; report it"
    [ "$found" = "$expected" ] ||
        fail "$2 has the SHA-256 $found, not $expected" "nothing was installed; download it again, and report it if that does not help"
}

# Replaces the program whole or not at all, also while it runs.
put() {
    mkdir -p "$2" || fail "cannot create $2" "choose another directory with --to"
    new="$2/.session-search.new-$$"
    if ! { cp "$1" "$new" && chmod 755 "$new" && mv "$new" "$2/session-search"; }; then
        rm -f "$new"
        fail "cannot write to $2" "choose another directory with --to"
    fi
}

# Sets `directory` and `VERSION`.
read_arguments() {
    directory=${HOME:+$HOME/.local/bin}
    while [ $# -gt 0 ]; do
        case $1 in
            --to | --version) [ $# -gt 1 ] || fail "$1 has no value" "$1 VALUE" ;;
            *) fail "unknown argument $1" "sh install.sh [--to DIR] [--version VERSION]" ;;
        esac
        case $1 in
            --to) directory=$2 ;;
            --version) VERSION=${2#v} ;;
        esac
        shift 2
    done
    [ -n "$directory" ] || fail "HOME is not set" "name a directory with --to"
    case $VERSION in
        @*) fail "this installer is not from a release" "name a version with --version" ;;
        '' | *[!0-9A-Za-z.+-]*) fail "\`$VERSION\` is no version" "--version 0.1.0" ;;
    esac
}

# Sets `releases` to the address below which each version has its files.
choose_releases() {
    releases=${SESSION_SEARCH_DOWNLOAD_URL:-$REPOSITORY/releases/download}
    case $releases in
        @*) fail "this installer is not from a release" "name the releases with SESSION_SEARCH_DOWNLOAD_URL" ;;
    esac
}

main() {
    read_arguments "$@"
    choose_releases
    for tool in uname mktemp awk tar gzip; do need "$tool"; done
    detect_target
    name="session-search-$target"
    temporary=$(mktemp -d)
    trap 'rm -rf "$temporary"' EXIT
    trap 'exit 1' HUP INT TERM
    echo "downloading $releases/v$VERSION/$name.tar.gz"
    download "$releases/v$VERSION/SHA256SUMS" "$temporary/SHA256SUMS"
    download "$releases/v$VERSION/$name.tar.gz" "$temporary/$name.tar.gz"
    check "$temporary/$name.tar.gz" "$name.tar.gz" "$temporary/SHA256SUMS"
    tar -xzf "$temporary/$name.tar.gz" -C "$temporary"
    put "$temporary/$name/session-search" "$directory"
    echo "installed session-search $VERSION as $directory/session-search; its archive has the SHA-256 of the release"
    case ":$PATH:" in
        *":$directory:"*) ;;
        *) echo "$directory is not on PATH: add it in your shell's profile" ;;
    esac
}

# At the end, so that a download that was cut off does nothing.
main "$@"
