// Bundles the islands into the package. `node build.mjs DIRECTORY` writes them elsewhere, to compare.
import { build } from "esbuild";
import { copyFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "..", "src", "anamnesis", "web", "static");

await build({
  absWorkingDir: here,
  entryPoints: ["src/app.ts", "src/editor.ts", "src/graph.ts"],
  outdir: target,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});
await copyFile(join(here, "node_modules", "htmx.org", "dist", "htmx.min.js"), join(target, "htmx.min.js"));
