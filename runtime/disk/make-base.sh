#!/bin/sh
# Makes the base system, of recorded packages alone: make-base.sh ARCH RELEASE REPOSITORY OUTPUT.tar
set -eu
arch=$1 release=$2 repository=$3 output=$4
# What a shop has no use for; the licences stay.
# check/qemu: its namespace runs programs of that architecture (../assembly/package/emulator.ts).
exec mmdebstrap --quiet --skip=check/qemu --mode=root --variant=custom --architectures="$arch" --format=tar \
  --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
  --include="$(cat "$repository/names")" \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/lintian/*' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/bash-completion/*' --dpkgopt='path-exclude=/usr/share/zsh/*' \
  --dpkgopt='path-exclude=/usr/lib/*/gconv/*' \
  --aptopt='Apt::Install-Recommends "false"' \
  "$release" "$output" "deb [trusted=yes] copy:$repository ./"
