# The emulator as a container: docker build -f deploy/emulator.Dockerfile -t fanfare-emulator .
# For development and tests: docker run --rm -p 127.0.0.1:8099:8099 fanfare-emulator

FROM swift:6.2-bookworm AS build
# Versions are those of the base image's Debian release; a pinned one disappears with its next security update.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends pkg-config libcurl4-openssl-dev libssl-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
# The packages first: a change to our sources does not fetch them again.
COPY Package.swift ./
RUN swift package resolve
COPY migrations ./migrations
COPY Sources ./Sources
COPY Tests ./Tests
RUN swift build -c release --product fanfare-emulator --static-swift-stdlib \
    && install -D -s -t /out "$(swift build -c release --static-swift-stdlib --show-bin-path)/fanfare-emulator"

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libcurl4 libssl3 libstdc++6 ca-certificates \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/fanfare-emulator /usr/bin/fanfare-emulator
# It writes no file: --read-only works.
USER 65532:65532
WORKDIR /etc/fanfare
EXPOSE 8099
STOPSIGNAL SIGTERM
ENTRYPOINT ["fanfare-emulator"]
# The default, loopback, would hide it from the host and from other containers.
CMD ["run", "--listen", "0.0.0.0:8099", "--allow-plain-http"]
