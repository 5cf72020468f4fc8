import { defineConfig } from 'tsdown';

// biome-ignore lint/style/noDefaultExport: the build tool reads the default export.
export default defineConfig({
  entry: ['src/index.ts', 'src/node.ts', 'src/subtitles.ts'],
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  dts: { oxc: { stripInternal: true } },
  minify: true,
  outputOptions: { comments: false },
  deps: { neverBundle: [/^node:/] },
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
});
