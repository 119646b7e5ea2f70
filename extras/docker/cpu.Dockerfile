# The command veloxel for processors: docker build -f extras/docker/cpu.Dockerfile -t veloxel .
FROM rust:1.91-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked --package veloxel-cli --no-default-features

FROM debian:bookworm-slim
COPY --from=build /source/target/release/veloxel /usr/local/bin/veloxel
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/veloxel/
RUN useradd --create-home --uid 10001 veloxel
USER 10001
WORKDIR /data
ENTRYPOINT ["veloxel"]
CMD ["--help"]
