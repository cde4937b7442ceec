# The emulator as a container: docker build -f deploy/emulator.Dockerfile -t fanfare-emulator .
# For development and tests: docker run --rm -p 127.0.0.1:8099:8099 fanfare-emulator

# By digest, for a build that can be repeated: docs/install.md, "Pin what is built".
ARG SWIFT_IMAGE=swift:6.2-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${SWIFT_IMAGE} AS build
# Versions are those of the base image's Debian release; a pinned one disappears with its next security update.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends pkg-config libcurl4-openssl-dev libnghttp2-dev libssl-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
# The packages first, in the versions of deploy/versions.txt: a change to our sources does not fetch them again.
COPY Package.swift ./
COPY deploy/versions.txt ./deploy/
COPY bin/versions ./bin/
RUN bin/versions --pin && swift package resolve --force-resolved-versions
COPY migrations ./migrations
COPY Plugins ./Plugins
COPY Sources ./Sources
COPY Tests ./Tests
RUN swift build -c release --product fanfare-emulator --static-swift-stdlib --force-resolved-versions \
    && install -D -s -t /out "$(swift build -c release --static-swift-stdlib --show-bin-path)/fanfare-emulator"

FROM ${RUNTIME_IMAGE}
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libcurl4 libnghttp2-14 libssl3 libstdc++6 ca-certificates \
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
