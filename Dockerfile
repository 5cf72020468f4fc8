# Longhand as one image for x64 and arm64: docker buildx build --platform linux/amd64,linux/arm64 -t longhand .
# Models are in the volume /data (longhand models install --default), or baked in: --build-arg MODELS=default; with
# --build-arg ACCURACY=balanced without Whisper small, which is 290 MB.
# yt-dlp of a release, since video pages change every few weeks: --build-arg YTDLP=2026.10.26
FROM node:24-bookworm-slim AS build
WORKDIR /opt/longhand
COPY . .
RUN npm ci --no-audit --no-fund && npm run --silent build
RUN npm prune --omit=dev --no-audit --no-fund

FROM node:24-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates ffmpeg python3 tini \
  && rm -rf /var/lib/apt/lists/* \
  && groupadd --gid 10001 longhand \
  && useradd --uid 10001 --gid 10001 --home-dir /data --shell /usr/sbin/nologin longhand \
  && install -d -o longhand -g longhand -m 700 /data
COPY --from=build --chown=root:root /opt/longhand /opt/longhand
RUN ln -s /opt/longhand/bin/longhand /usr/local/bin/longhand
# What is found from any data directory: a current yt-dlp, checked by its SHA-256, and models.
ARG YTDLP=
RUN if [ -n "$YTDLP" ]; then \
    LONGHAND_DATA_DIR=/opt/longhand/data longhand tools install yt-dlp --release "$YTDLP" \
    && ln -s /opt/longhand/data/tools/yt-dlp /usr/local/bin/yt-dlp; \
  fi
ARG MODELS=
ARG ACCURACY=exact
RUN if [ "$MODELS" = default ]; then \
    LONGHAND_DATA_DIR=/opt/longhand/data LONGHAND_ACCURACY="$ACCURACY" longhand models install --default \
    && chmod -R a+rX /opt/longhand/data; \
  fi
ENV NODE_ENV=production \
  LONGHAND_DATA_DIR=/data \
  LONGHAND_HOST=0.0.0.0 \
  LONGHAND_METRICS_LISTEN=0.0.0.0:9464
USER longhand
WORKDIR /data
VOLUME /data
EXPOSE 8080 9464
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9464/healthz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["tini", "--", "longhand"]
CMD ["serve"]
