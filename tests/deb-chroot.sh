#!/bin/sh
# deb-chroot.sh [FOLDER]: installs the packages of FOLDER (build-deb) into a bare Debian, made by mmdebstrap from a mirror
# (PYR_MIRROR), starts that system in a container and runs debian/tests there, removes everything again, and checks with
# piuparts that nothing is left behind. Needs root and a mirror, takes some minutes: `make test-deb` runs it.
#
# The bare system is kept in FOLDER/bare.tar.gz for the next time.
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "deb-chroot.sh: please run this as root: it installs into a system of its own" >&2; exit 1; }
folder=${1:-build-deb}
folder=$(cd "$folder" && pwd)
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=${PYR_MIRROR:-http://deb.debian.org/debian}
root=$(mktemp -d)
trap 'umount "$root/proc" "$root/dev" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT

in_root() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive TERM=dumb "$@"
}

echo "# a bare $suite"
[ -f "$folder/bare.tar.gz" ] || mmdebstrap --quiet --variant=minbase "$suite" "$folder/bare.tar.gz" "$mirror"
tar -C "$root" -xzf "$folder/bare.tar.gz" --exclude=./dev/*
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
# The installation starts no service, because there is no init in here yet.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"

echo "# install"
mkdir "$root/packages"
cp "$folder"/*.deb "$root/packages/"
rm -f "$root"/packages/*-dbgsym_*
# shellcheck disable=SC2086  # a list of files
in_root sh -c 'apt-get -q update &&
    apt-get -q install -y --no-install-recommends /packages/*.deb systemd-sysv python3 gcc libc6-dev pkgconf' \
    >"$folder/install.log" 2>&1 || { tail -n 30 "$folder/install.log"; exit 1; }
scripts/export-tree "$root/source"

echo "# debian/tests/library, debian/tests/python"
in_root /source/debian/tests/library
in_root /source/debian/tests/python

echo "# debian/tests/game, with systemd"
umount "$root/proc" "$root/dev"
rm "$root/usr/sbin/policy-rc.d"
cat >"$root/etc/systemd/system/game.service" <<UNIT
[Unit]
After=systemd-user-sessions.service
SuccessAction=exit-force
FailureAction=exit-force
[Service]
Type=oneshot
Environment=LC_ALL=C.UTF-8 HOME=/root
ExecStart=/source/debian/tests/game
StandardOutput=append:/game.log
StandardError=inherit
TimeoutStartSec=10min
[Install]
WantedBy=multi-user.target
UNIT
in_root systemctl enable game.service 2>/dev/null
status=0
systemd-nspawn --quiet --directory="$root" --register=no --keep-unit --private-network --console=pipe --boot \
    </dev/null >"$folder/boot.log" 2>&1 || status=$?
rm "$root/etc/systemd/system/game.service" "$root/etc/systemd/system/multi-user.target.wants/game.service"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
booted=yes
if [ -f "$root/game.log" ]; then
    cat "$root/game.log"
    [ $status = 0 ] || { tail -n 30 "$folder/boot.log"; exit 1; }
else
    booted=
    tail -n 5 "$folder/boot.log"
    echo "# debian/tests/game, without systemd"
    in_root env LC_ALL=C.UTF-8 /source/debian/tests/game
fi

echo "# purge"
in_root dpkg --purge pyramids python3-pyramids libpyramids-dev libpyramids0
left=$(in_root sh -c 'find /usr /etc /var /lib /run -xdev -iname "*pyramids*" ! -path "/var/log/*" ! -path "/var/cache/*"')
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }

echo "# piuparts"
umount "$root/proc" "$root/dev"
rm -rf --one-file-system "$root"
find "$folder" -maxdepth 1 -name '*.deb' ! -name '*-dbgsym_*' -print0 | sort -z | xargs -0 \
    piuparts --basetgz "$folder/bare.tar.gz" --distribution "$suite" --mirror "$mirror main" --no-upgrade-test \
    --warn-on-leftovers-after-purge >"$folder/piuparts.log" 2>&1 || { tail -n 30 "$folder/piuparts.log"; exit 1; }
grep -E 'PASS|WARN|ERROR' "$folder/piuparts.log" | tail -n 5
[ "$booted" ] || echo "NOT TRIED: systemd. systemd-nspawn could not start the system here: it needs root, cgroups and the" \
    "right to mount, which most containers lack. On a real or virtual machine this test does it. ($folder/boot.log)"
