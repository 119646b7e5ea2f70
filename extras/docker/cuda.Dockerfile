# The command veloxel with NVRTC, for NVIDIA's container toolkit: docker build -f extras/docker/cuda.Dockerfile -t veloxel:cuda .
FROM rust:1.91-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked --package veloxel-cli

# The driver comes from the host when the container runs; this image brings the CUDA runtime with NVRTC.
FROM nvidia/cuda:12.8.1-runtime-ubuntu24.04
COPY --from=build /source/target/release/veloxel /usr/local/bin/veloxel
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/veloxel/
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
RUN useradd --create-home --uid 10001 veloxel
USER 10001
WORKDIR /data
ENTRYPOINT ["veloxel"]
CMD ["--help"]
