# navd in a container: docker build -t navd . (docs/operations.md, "In a container"). The image holds the Debian packages
# navd and navctl, which the first stage builds, and what they depend on.
FROM debian:12 AS build
WORKDIR /src
COPY scripts/setup scripts/setup
RUN scripts/setup && apt-get install -y --no-install-recommends dpkg-dev file
COPY . .
RUN make package PRESET=release

FROM debian:12-slim
COPY --from=build /src/build/release/packages/navd_*.deb /src/build/release/packages/navctl_*.deb /tmp/packages/
# systemd-standalone-sysusers creates the user navd, so that systemd itself is not installed.
RUN apt-get update \
    && apt-get install -y --no-install-recommends systemd-standalone-sysusers \
    && apt-get install -y --no-install-recommends /tmp/packages/*.deb \
    && install -d -o navd -g navd -m 0750 /var/lib/navd \
    && install -d -o navd -g navd -m 0755 /run/navd \
    && rm -rf /tmp/packages /var/lib/apt/lists/*
# As the service has it: the default of `state` in navd.conf.
ENV STATE_DIRECTORY=/var/lib/navd
VOLUME /var/lib/navd
USER navd
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s CMD ["navctl", "stats", "--connect", "/run/navd/navd.sock", "--timeout", "4", "--json"]
ENTRYPOINT ["/usr/bin/navd", "--config", "/etc/navd/navd.conf"]
