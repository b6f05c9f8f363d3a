#!/bin/sh
# Checks that a client runs where pipelines run: the libraries and symbols that it needs, and its size without symbols.
# usage: tools/check_client.sh BINARY...
set -eu

libraries="libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 libcurl.so.4 libcrypto.so.3 libssl.so.3"
libraries="$libraries ld-linux-x86-64.so.2 ld-linux-aarch64.so.1"
newest_glibc=2.36 # Debian 12's
most_bytes=4000000

faults=0
fault() {
  echo "check_client: $1" >&2
  faults=1
}
# Succeeds if the version $1 is not newer than $2.
at_most() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | tail -1)" = "$2" ]; }

check() {
  needed=$(readelf -d --wide "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | tr '\n' ' ')
  [ -n "$needed" ] || fault "$1 names no library; is it a program for Linux?"
  for library in $needed; do
    case " $libraries " in *" $library "*) ;; *) fault "$1 needs $library; link it statically" ;; esac
  done
  for version in $(readelf -V --wide "$1" | sed -n 's/.*Name: \([A-Za-z_0-9.]*\).*/\1/p' | sort -u); do
    case "$version" in
      GLIBC_*) at_most "${version#GLIBC_}" "$newest_glibc" || fault "$1 needs $version; $newest_glibc is the newest allowed" ;;
      OPENSSL_3.0.*|CURL_OPENSSL_4) ;;
      *) fault "$1 needs $version of a library that may be absent or of another version" ;;
    esac
  done
  # File sizes are compared without the symbol table and debug information, which the installed program does not have.
  bytes=$(readelf -S --wide "$1" | sed 's/^ *\[ *[0-9]*\] *//' |
    awk '$1 ~ /^\./ && $1 !~ /^\.(debug|symtab|strtab|comment|bss|tbss)/ { print $5 }' | while read -r hex; do
      echo $((0x$hex)); done | awk '{ sum += $1 } END { print sum + 0 }')
  [ "$bytes" -le "$most_bytes" ] || fault "$1 has $bytes bytes without symbols; at most $most_bytes are allowed"
  [ "$faults" = 0 ] && echo "check_client: $1: $bytes bytes, $needed"
  return 0
}

[ $# -gt 0 ] || { sed -n '2,3s/^# //p' "$0"; exit 2; }
for binary in "$@"; do check "$binary"; done
exit $faults
