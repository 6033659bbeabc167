#!/bin/sh
# tarball-kernel.sh [FOLDER]: runs tests/tarball.sh on the unpacked tarball for x86-64 (build-tarball) under a kernel that is
# more than ten years old: Linux 4.4 as Ubuntu 16.04 had it in April 2016, in a machine that qemu emulates. It has nothing
# but this kernel, the tarball and busybox, so it needs no disk, no network and no root; its processor is one of 2008. Needs
# a mirror (PYR_MIRROR_UBUNTU), once: `make test-tarball` runs it.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-$(echo build-tarball/pyramids-*-linux-x86_64)}
mirror=${PYR_MIRROR_UBUNTU:-http://archive.ubuntu.com/ubuntu}
version=4.4.0-21
sum=be0b48760d001839a8625e8de33011700a495255e3b258511ec4ffdab43c06ff    # as Ubuntu's index has it
kernel=build-tarball/linux-$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -f "$kernel" ]; then
    package=linux-image-$version-generic_$version.37_amd64.deb
    python3 -c 'import sys, urllib.request; urllib.request.urlretrieve(*sys.argv[1:])' \
        "$mirror/pool/main/l/linux/$package" "$work/kernel.deb"
    echo "$sum  $work/kernel.deb" | sha256sum --quiet -c
    dpkg-deb -x "$work/kernel.deb" "$work/kernel"
    cp "$work/kernel/lib/modules/$version-generic/kernel/drivers/char/hw_random/virtio-rng.ko" "$kernel-rng.ko"
    cp "$work/kernel/boot/vmlinuz-$version-generic" "$kernel"
fi

echo "# Linux $version"
mkdir -p "$work/root/bin" "$work/root/dev" "$work/root/proc" "$work/root/tmp"
cp /bin/busybox "$work/root/bin/"
for name in sh mount ip insmod uname find grep kill mktemp rm sleep poweroff; do
    ln -s busybox "$work/root/bin/$name"
done
cp -R "$folder" "$work/root/pyramids"
cp tests/tarball.sh "$work/root/"
cp "$kernel-rng.ko" "$work/root/rng.ko"
cat >"$work/root/init" <<'END'
#!/bin/sh
export PATH=/bin HOME=/tmp
mount -t devtmpfs dev /dev
mount -t proc proc /proc
mount -t tmpfs tmp /tmp
ip link set lo up
insmod /rng.ko               # getrandom() of this kernel would wait minutes for chance in an idle machine
uname -sr
sh /tarball.sh /pyramids && echo "it works"
poweroff -f
END
chmod +x "$work/root/init"
(cd "$work/root" && find . | cpio --quiet -o -H newc -R 0:0 | gzip -1) >"$work/root.gz"
timeout 300 qemu-system-x86_64 -machine pc -accel tcg -cpu Nehalem -m 512 -nographic -no-reboot -nic none \
    -device virtio-rng-pci -kernel "$kernel" -initrd "$work/root.gz" \
    -append 'console=ttyS0 panic=-1' </dev/null >"$work/log" 2>&1 || true
tr -d '\r' <"$work/log" | grep -E "^(Linux $version|/pyramids: )" && tr -d '\r' <"$work/log" | grep -q '^it works$' || {
    tail -n 40 "$work/log" >&2
    echo "tarball-kernel.sh: the program does not work under Linux $version" >&2
    exit 1
}
