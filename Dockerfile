# syntax=docker/dockerfile:1
# `npm run image` decides which files the image contains, and `npm --prefix lab run image:check` runs them without Docker.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm run image -- /image

FROM ${NODE_IMAGE}
# Debian keeps one version of a package, so a pinned one would stop this build with the next update.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /image ./
COPY --chmod=755 deploy/svc /usr/local/bin/svc
ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV DATA_DIR=/tmp/svc
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "--no-memory-reducer", ".build/main.mjs"]
