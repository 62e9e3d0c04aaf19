# SupportCal on the processor: docker build -t supportcal .
#   docker run --rm -v "$PWD":/work supportcal demo
# docker/cuda.Dockerfile is the same for NVIDIA cards.
FROM node:22-bookworm-slim AS build
WORKDIR /package
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
# The build runs as `prepare`; llama.cpp comes prebuilt with node-llama-cpp.
RUN npm ci && npm prune --omit=dev

FROM node:22-bookworm-slim
# llama.cpp computes with OpenMP.
RUN apt-get update \
  && apt-get install -y --no-install-recommends libgomp1=12.* \
  && rm -rf /var/lib/apt/lists/*
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
