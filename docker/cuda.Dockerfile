# SupportCal on NVIDIA cards: docker build -f docker/cuda.Dockerfile -t supportcal:cuda .
#   docker run --rm --gpus all -v "$PWD":/work supportcal:cuda pipeline --gpu cuda
FROM node:22-bookworm-slim AS build
WORKDIR /package
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
# The build runs as `prepare`; llama.cpp comes prebuilt for CUDA with node-llama-cpp.
RUN npm ci && npm prune --omit=dev

# The run time of CUDA has cudart and cuBLAS; the driver comes from the host.
FROM nvidia/cuda:12.6.3-runtime-ubuntu24.04
RUN apt-get update \
  && apt-get install -y --no-install-recommends libgomp1=14* \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/node /usr/local/bin/node
WORKDIR /opt/supportcal
COPY --from=build /package/package.json ./
COPY --from=build /package/node_modules ./node_modules
COPY --from=build /package/dist ./dist
COPY models.yaml LICENSE README.md ./
COPY datasets ./datasets
COPY models/demo ./models/demo
COPY published ./published
COPY schemas ./schemas
COPY src/engine/library ./src/engine/library
COPY examples ./examples
RUN ln -s /opt/supportcal/dist/main.js /usr/local/bin/supportcal && mkdir /work && chown 1000 /work
USER 1000
WORKDIR /work
ENTRYPOINT ["supportcal"]
CMD ["--help"]
