import { defineConfig } from 'tsdown';

// biome-ignore lint/style/noDefaultExport: the build tool reads the default export.
export default defineConfig({
  entry: ['src/index.ts', 'src/node.ts', 'src/subtitles.ts'],
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  dts: { oxc: true },
  minify: true,
  deps: { neverBundle: [/^node:/] },
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
});
