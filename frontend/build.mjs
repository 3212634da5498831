// Bundles scripts and styles into the package. `node build.mjs DIRECTORY` writes them elsewhere, to compare.
import { build } from "esbuild";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "..", "src", "anamnesis", "web", "static");

const built = await build({
  absWorkingDir: here,
  entryPoints: ["src/app.ts", "src/editor.ts", "src/former.ts", "styles/dashboard.css"],
  entryNames: "[name]",
  external: ["*.woff2"],
  outdir: target,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
});
await copyFile(join(here, "node_modules", "htmx.org", "dist", "htmx.min.js"), join(target, "htmx.min.js"));

// A browser fetches only the alphabets that a page uses.
const typeface = "@fontsource-variable/inter";
for (const alphabet of ["latin", "latin-ext", "greek", "cyrillic"]) {
  const file = join(here, "node_modules", typeface, "files", `inter-${alphabet}-wght-normal.woff2`);
  await copyFile(file, join(target, `inter-${alphabet}.woff2`));
}

// The licences of everything that the bundle holds travel with it.
const packages = new Set(["htmx.org", typeface]);
for (const path of Object.keys(built.metafile.inputs)) {
  const found = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path);
  if (found) packages.add(found[1]);
}
const texts = new Map();
for (const name of [...packages].sort()) {
  const text = (await readFile(join(here, "node_modules", name, "LICENSE"), "utf8")).trim();
  texts.set(text, [...(texts.get(text) ?? []), name]);
}
const notices = [...texts].map(([text, names]) => `${names.join(", ")}\n\n${text}\n`);
await writeFile(join(target, "licences.txt"), notices.join("\n----\n\n"));
