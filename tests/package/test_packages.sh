#!/bin/bash
# The Debian packages, for real: built, installed, run, upgraded, removed and purged, on a copy of this system that is
# thrown away: an overlay in a mount namespace of its own, so that nothing here changes. Skipped (77) where that cannot
# be done. Without systemd as the first process the service is started by hand, as its unit says.
#   test_packages.sh BUILD
set -uo pipefail
build=$(cd "$1" && pwd) || exit 1
packages=$build/packages_test

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*" >&2; exit 1; }

outside() {
    [[ $(id -u) = 0 ]] || skip "it takes root"
    for tool in dpkg dpkg-deb dpkg-shlibdeps cpack unshare chroot setpriv systemd-sysusers deb-systemd-helper; do
        command -v $tool >/dev/null || skip "there is no $tool"
    done
    unshare --mount true 2>/dev/null || skip "no mount namespaces here"
    rm -rf "$packages"
    (cd "$build" && cpack -G DEB -B "$packages") >"$build/packages_test.log" 2>&1 || { cat "$build/packages_test.log"; fail "cpack"; }
    rm -rf "$packages/_CPack_Packages"
    if command -v lintian >/dev/null; then
        TMPDIR=$packages lintian --allow-root --fail-on error --suppress-tags bad-distribution-in-changes-file "$packages"/*.deb || fail "lintian has errors"
    fi
    unshare --mount --pid --fork --kill-child "$0" "$build" in_namespace
}

# In namespaces of its own: makes the copy, and goes there.
in_namespace() {
    local root=$packages/root
    mkdir "$root" || fail "mkdir"
    mount -t tmpfs tmpfs "$root" || skip "tmpfs cannot be mounted here"
    mkdir "$root"/{upper,work,copy}
    mount -t overlay overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" "$root/copy" || skip "no overlays here"
    mount -t proc proc "$root/copy/proc" || skip "no /proc for the copy"
    mount --bind /dev "$root/copy/dev" || skip "no /dev for the copy"
    mount -t tmpfs tmpfs "$root/copy/run" || skip "tmpfs cannot be mounted here"
    mkdir -p "$root/copy/packages_test"
    cp "$packages"/*.deb "$0" "$root/copy/packages_test/" || fail "copying the packages"
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive \
        chroot "$root/copy" bash /packages_test/test_packages.sh /packages_test in_copy || exit 1
    # What is left of it after all: nothing that has its name, but for what dpkg remembers and the user.
    left=$(cd "$root/upper" && find . -path ./packages_test -prune -o -path ./var/log -prune -o -path ./var/cache -prune -o \
        ! -type c \( -name '*navd*' -o -name '*navctl*' \) -print)
    [[ -z $left ]] || fail "left behind: $left"
}

installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep "^install ok installed" >/dev/null; }

# Starts the service as navd.service does, and talks to it.
run_service() {
    local pid tries=0
    install -d -o navd -g navd -m 0750 /var/lib/navd
    [[ $(stat -c %U /run/navd) = navd ]] || fail "/run/navd is not navd's"
    exec 3< <(STATE_DIRECTORY=/var/lib/navd exec setpriv --reuid navd --regid navd --clear-groups \
        /usr/bin/navd --config /etc/navd/navd.conf --socket /run/navd/navd.sock 2>&1)
    pid=$!
    while read -r -t 60 line <&3; do
        [[ $line == *event=listener.opened* ]] && break
        ((++tries < 100)) || fail "it does not listen"
    done
    [[ $line == *event=listener.opened* ]] || fail "the service does not start: $line"
    navctl "$@" --connect /run/navd/navd.sock || fail "navctl $*"
    kill -TERM "$pid"
    cat <&3 >/dev/null
    exec 3<&-
}

in_copy() {
    cd /packages_test || fail "no packages"
    rm -f /var/lib/man-db/auto-update # no index of all manual pages for this copy
    dpkg() { command dpkg --force-unsafe-io "$@"; }
    echo "# install"
    dpkg -i ./*.deb >log 2>&1 || { cat log; fail "dpkg -i"; }
    for p in navd navctl libnavd-dev; do installed "$p" || fail "$p is not installed"; done
    getent passwd navd >/dev/null || fail "there is no user navd"
    navd --check-config --config /etc/navd/navd.conf || fail "the configuration that comes with it"
    [[ -L /etc/systemd/system/multi-user.target.wants/navd.service ]] || fail "navd.service is not enabled"
    [[ -L /etc/systemd/system/sockets.target.wants/navd.socket ]] || fail "navd.socket is not enabled"
    [[ -f /lib/systemd/system/navd-worker.service ]] || fail "there is no navd-worker.service"
    [[ ! -e /etc/systemd/system/multi-user.target.wants/navd-worker.service ]] || fail "navd-worker.service is enabled unasked"
    dpkg-deb -f ./navd_*.deb Depends | grep -q libnats || fail "navd does not depend on libnats"
    [[ -f /usr/share/doc/navd/scale.md ]] || fail "there is no scale.md"
    grep -qx 'ExecStart=/usr/bin/navd --config /etc/navd/navd.conf' /lib/systemd/system/navd.service || fail "the unit starts another program"
    if command -v man >/dev/null; then
        for page in "8 navd" "1 navctl" "5 navd.conf"; do
            # shellcheck disable=SC2086
            man -w $page >/dev/null || fail "man $page"
        done
    fi

    for file in libnavd-dev/embedding.md libnavd-dev/clients.md libnavd-dev/examples/CMakeLists.txt navd/operations.md navd/protocol/tiles.md; do
        [[ -f /usr/share/doc/$file ]] || fail "there is no /usr/share/doc/$file"
    done

    echo "# run"
    run_service world list
    navctl --version || fail "navctl"

    echo "# build with it"
    if command -v cc >/dev/null && command -v pkg-config >/dev/null; then
        printf '#include <navd.h>\nint main(void) { navd_settings s; navd_settings_default(&s); return s.tile_cells < 1; }\n' >use.c
        # shellcheck disable=SC2046
        cc -Werror use.c -o use $(pkg-config --cflags --libs navdclient) && ./use || fail "a program of libnavd-dev's"
        examples=/usr/share/doc/libnavd-dev/examples
        # shellcheck disable=SC2046
        cc -Werror -c $examples/embed.c -o embed.o $(pkg-config --cflags navcore) || fail "an example of libnavd-dev's"
    fi

    echo "# upgrade: what the administrator changed stays"
    echo "max_worlds = 7" >>/etc/navd/navd.conf
    systemctl --root=/ disable navd.service 2>/dev/null || fail "systemctl disable"
    dpkg --force-confold -i ./navd_*.deb >log 2>&1 || { cat log; fail "dpkg -i again"; }
    grep -qx "max_worlds = 7" /etc/navd/navd.conf || fail "the configuration was replaced"
    [[ ! -e /etc/systemd/system/multi-user.target.wants/navd.service ]] || fail "a disabled service was enabled"

    echo "# remove"
    touch /var/lib/navd/worlds_are_here
    dpkg -r navd navctl libnavd-dev >log 2>&1 || { cat log; fail "dpkg -r"; }
    for file in /usr/bin/navd /usr/bin/navctl /usr/include/navd.h /lib/systemd/system/navd.service /lib/systemd/system/navd-worker.service; do
        [[ ! -e $file ]] || fail "$file is still there"
    done
    [[ -e /etc/navd/navd.conf ]] || fail "removing took the configuration away"
    [[ -e /var/lib/navd/worlds_are_here ]] || fail "removing took the worlds away"

    echo "# purge"
    dpkg -P navd navctl libnavd-dev >log 2>&1 || { cat log; fail "dpkg -P"; }
    for file in /etc/navd /var/lib/navd /run/navd /var/lib/systemd/deb-systemd-helper-enabled/navd.service.dsh-also; do
        [[ ! -e $file ]] || fail "$file is still there"
    done
    echo "the packages install, run, upgrade, and go without a trace"
}

"${2:-outside}"
