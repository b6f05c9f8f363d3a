#!/bin/sh
# Installs svc, the command-line client of a project automation service, from that service. Needs no root:
#   curl -fsSL @URL@/cli/install.sh | sh
#   curl -fsSL @URL@/cli/install.sh | sh -s -- --dir DIRECTORY
# The service fills in its address, its version, and the architecture, size and SHA-256 of each client that it serves.
# Everything is a function until the last line, so that a script that arrives incomplete does nothing.
set -eu

service='@URL@'
version='@VERSION@'
clients='@CLIENTS@'

temporary='' # the file that becomes svc
made=''      # directories that did not exist before, one a line, the deepest one first

usage() {
  cat <<'END'
usage: install.sh [--dir DIRECTORY]
Installs svc into DIRECTORY (default: /usr/local/bin as root, otherwise ~/.local/bin), after checking its SHA-256, and
writes the address of the service to ~/.config/svc/config.toml unless that file exists.
SVC_INSTALL_DIR: the same as --dir. SERVICE_CACERT: PEM file with the certificates to trust.
END
}

say() { printf '%s\n' "install.sh: $*"; }

# fail SENTENCE...: says what is wrong and what to do. The trap removes what was not finished.
fail() {
  printf 'install.sh: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf '            %s\n' "$line" >&2; done
  exit 1
}

remove_unfinished() {
  [ -z "$temporary" ] || rm -f -- "$temporary"
  printf '%s\n' "$made" | while IFS= read -r each; do
    [ -z "$each" ] || rmdir -- "$each" 2>/dev/null || true
  done
}

choose_directory() {
  directory=${SVC_INSTALL_DIR:-}
  while [ $# -gt 0 ]; do
    case "$1" in
      --dir) [ $# -gt 1 ] || fail '--dir needs a directory.'; directory=$2; shift ;;
      --dir=*) directory=${1#--dir=} ;;
      --help) usage; exit 0 ;;
      *) fail "Unknown argument: $1" 'The only option is --dir DIRECTORY.' ;;
    esac
    shift
  done
  if [ -z "$directory" ]; then
    if [ "$(id -u)" -eq 0 ]; then
      directory=/usr/local/bin
    elif [ -n "${HOME:-}" ]; then
      directory=$HOME/.local/bin
    else
      fail 'HOME is not set, so there is no usual place for svc.' 'Name one: --dir DIRECTORY'
    fi
  fi
  case "$directory" in
    /*) ;;
    *) directory=$(pwd)/$directory ;;
  esac
}

# Sets architecture, bytes and checksum, from the list of the clients that this service has.
choose_client() {
  [ "$(uname -s)" = Linux ] || fail "svc runs on Linux, and this is $(uname -s)." 'Use a container, or a machine with Linux.'
  case "$(uname -m)" in
    x86_64 | amd64) architecture=amd64 ;;
    aarch64 | arm64) architecture=arm64 ;;
    *) architecture=$(uname -m) ;;
  esac
  checksum=''
  while read -r name size sum; do
    if [ "$name" = "$architecture" ]; then bytes=$size checksum=$sum; fi
  done <<END
$clients
END
  [ -n "$checksum" ] || fail "This service has no svc for $architecture." "Ask its operator for one: $service"
}

make_directory() {
  missing=$directory
  while [ ! -e "$missing" ] && [ "$missing" != / ]; do
    made="$made$missing
"
    missing=$(dirname -- "$missing")
  done
  mkdir -p -- "$directory" 2>/dev/null || fail "Cannot make the directory $directory." \
    'Choose one that you may write to: --dir DIRECTORY'
  [ ! -d "$directory/svc" ] || fail "$directory/svc is a directory." 'Choose another place: --dir DIRECTORY'
  [ -w "$directory" ] || fail "You may not write to $directory." 'Choose a directory that you may write to: --dir DIRECTORY'
  temporary=$(mktemp "$directory/.svc.XXXXXXXX" 2>/dev/null) || {
    temporary=''
    fail "Cannot make a file in $directory: the disk is full, or it is mounted read-only." \
      'Free some space, or choose another place: --dir DIRECTORY'
  }
}

# explain TOOL CODE: why a download has failed.
explain() {
  case "$1 $2" in
    'curl 23' | 'wget 3')
      fail "Cannot write svc to $directory: the disk is full, or a quota is used up." \
        'Free some space, or choose another place: --dir DIRECTORY' ;;
    'curl 60' | 'curl 77' | 'wget 5')
      fail "The certificate of $service cannot be verified." \
        'Install ca-certificates, or name the PEM file of its authority: SERVICE_CACERT=FILE' ;;
    'curl 18' | 'curl 56' | 'curl 92')
      fail 'The download ended before all of svc had arrived; nothing was installed.' 'Run this once more.' ;;
    *)
      fail "Cannot download $service/cli/svc-linux-$architecture ($1 ended with $2); nothing was installed." \
        'Run this once more; if it fails again, the lines above say why.' ;;
  esac
}

download() {
  code=0
  if command -v curl >/dev/null 2>&1; then
    tool=curl
    curl -fsS --retry 3 ${SERVICE_CACERT:+--cacert "$SERVICE_CACERT"} -o "$temporary" \
      "$service/cli/svc-linux-$architecture" || code=$?
  elif command -v wget >/dev/null 2>&1; then
    tool=wget
    wget -q ${SERVICE_CACERT:+--ca-certificate="$SERVICE_CACERT"} -O "$temporary" \
      "$service/cli/svc-linux-$architecture" || code=$?
  else
    fail 'Neither curl nor wget is installed.' 'Install one of them: apt-get install curl'
  fi
  [ "$code" -eq 0 ] || explain "$tool" "$code"
}

# choose_verifier: sets the command that prints a SHA-256, before anything is downloaded.
choose_verifier() {
  if command -v sha256sum >/dev/null 2>&1; then
    verifier='sha256sum'
  elif command -v openssl >/dev/null 2>&1; then
    verifier='openssl dgst -sha256 -r'
  else
    fail 'Neither sha256sum nor openssl is installed, so a download cannot be verified.' 'Install coreutils.'
  fi
}

verify() {
  arrived=$(($(wc -c <"$temporary")))
  [ "$arrived" -ge "$bytes" ] || fail \
    "The download is incomplete: $arrived of $bytes bytes arrived; nothing was installed." 'Run this once more.'
  sum=$($verifier <"$temporary" | cut -d ' ' -f 1)
  [ "$sum" = "$checksum" ] || fail \
    'The downloaded svc is not the one that the service announced (its SHA-256 differs); nothing was installed.' \
    'If the service is being upgraded, run this again in a minute. If it happens again, something between you and' \
    "the service changes downloads: show this to its operator. Expected $checksum, got ${sum:-nothing}."
}

# Succeeds if this system's glibc is known to be older than the client needs.
glibc_is_old() {
  glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || return 1
  minor=${glibc#glibc 2.}
  minor=${minor%%[!0-9]*}
  [ "$minor" != "$glibc" ] && [ -n "$minor" ] && [ "$minor" -lt 36 ]
}

fail_for_glibc() {
  fail "svc needs glibc 2.36 or newer, and this system has $(getconf GNU_LIBC_VERSION 2>/dev/null || echo an older one)." \
    'Use an image of Debian 12, Ubuntu 24.04, Fedora 37 or newer; nothing was installed.'
}

# Runs the new client once, before it replaces an old one.
try_out() {
  chmod 755 "$temporary"
  said=$("$temporary" --version 2>&1 </dev/null) && return 0
  # An old system may lack a library as well, which could not be installed there.
  if glibc_is_old; then fail_for_glibc; fi
  case "$said" in
    *GLIBC_*'not found'*) fail_for_glibc ;;
    *libcurl.so.4*)
      fail 'svc needs libcurl, which is not installed; svc was not installed either.' \
        'Debian and Ubuntu: apt-get install libcurl4 ca-certificates' ;;
    *libcrypto.so.3* | *libssl.so.3* | *OPENSSL_3*'not found'*)
      fail 'svc needs OpenSSL 3, which is not installed; svc was not installed either.' \
        'Debian and Ubuntu: apt-get install libssl3 ca-certificates' ;;
    *'loading shared libraries'*)
      fail "A library that svc needs is missing; nothing was installed. The system says: $said" 'Install that library.' ;;
    *ermission\ denied*)
      fail "Programs cannot be executed in $directory; it may be mounted with noexec." \
        'Choose another place: --dir DIRECTORY' ;;
    *'not found'* | *'o such file'*)
      fail 'svc needs glibc, which this system does not have (it may be Alpine).' \
        'Use an image of Debian, Ubuntu or Fedora; nothing was installed.' ;;
    *)
      fail "The new svc does not start on this system; nothing was installed. It says: $said" ;;
  esac
}

# Unless the user has a configuration: it may name another service, or hold more than an address.
configure() {
  case "${XDG_CONFIG_HOME:-}" in
    /*) config=$XDG_CONFIG_HOME/svc/config.toml ;;
    *) config=${HOME:+$HOME/.config/svc/config.toml} ;;
  esac
  if [ -z "$config" ]; then
    say "HOME is not set: name the service by SERVICE_URL=$service"
  elif [ -e "$config" ]; then
    grep -qF "\"$service\"" "$config" 2>/dev/null || say "kept $config; for this service: svc --url $service"
  elif write_configuration 2>/dev/null; then
    say "wrote the address $service to $config"
  else
    rm -f -- "$config.$$" 2>/dev/null || true
    say "cannot write $config: name the service by SERVICE_URL=$service"
  fi
}

write_configuration() (
  umask 077
  authority=''
  case "${SERVICE_CACERT:-}" in
    *[\"\\]*) ;;
    /*) authority="cacert = \"$SERVICE_CACERT\"
" ;;
    ?*) authority="cacert = \"$(pwd)/$SERVICE_CACERT\"
" ;;
  esac
  mkdir -p -- "$(dirname -- "$config")" &&
    printf 'url = "%s"\n%s' "$service" "$authority" >"$config.$$" &&
    mv -- "$config.$$" "$config"
)

# Programs that a shell or a pipeline starts later must find svc.
show_path() {
  case ":$PATH:" in
    *":$directory:"*) return 0 ;;
  esac
  if [ -n "${GITHUB_PATH:-}" ] && printf '%s\n' "$directory" >>"$GITHUB_PATH"; then
    say "later steps find svc; in this one: export PATH=\"$directory:\$PATH\""
  else
    say "svc is not in PATH yet: export PATH=\"$directory:\$PATH\""
  fi
}

main() {
  choose_directory "$@"
  choose_client
  choose_verifier
  trap remove_unfinished EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  make_directory
  download
  verify
  try_out
  mv -f -- "$temporary" "$directory/svc" || fail "Cannot replace $directory/svc." 'Choose another place: --dir DIRECTORY'
  temporary='' made=''
  say "installed svc $version as $directory/svc"
  configure
  show_path
}

main "$@"
