// Joins chunks that are loaded together into one file: each is dear to open, check and compile. A joined chunk still
// runs when it is asked for the first time, and not before.
import { basename, dirname, join } from 'node:path';

const REQUIRE = /require\("(\.[^"]*\/)([^"/]+)"\)/g;

/** The chunks that are read before the first line of these entries runs, without the entries themselves. */
export function readBefore({ outputs }, entries) {
  const files = new Set(
    Object.keys(outputs).filter((path) => entries.includes(outputs[path].entryPoint)),
  );
  for (const file of files) {
    const needed = outputs[file].imports.filter(
      ({ kind, path }) => kind === 'import-statement' && path in outputs,
    );
    for (const { path } of needed) files.add(path);
  }
  return new Set(
    [...files].filter((path) => /(^|\/)chunks\//.test(path)).map((path) => basename(path)),
  );
}

/** The chunks with a library in them. */
export function chunksWith({ outputs }, library) {
  const paths = Object.keys(outputs).filter((path) =>
    Object.keys(outputs[path].inputs).some((file) => file.includes(`node_modules/${library}/`)),
  );
  return new Set(paths.map((path) => basename(path)));
}

/**
 * `files` is all of dist/ in CommonJS by its path; `groups` names the chunks of each new file. Chunks that are
 * `late` stay files of their own, and a joined one loads them when it first uses what they export.
 */
export function joinChunks(files, groups, late = new Set()) {
  const homes = new Map(
    Object.entries(groups).flatMap(([home, names]) => [...names].map((name) => [name, home])),
  );
  const leadTo = (text, own) =>
    text.replace(REQUIRE, (whole, folder, name) => {
      const home = homes.get(name);
      if (own && late.has(name)) return `late(() => ${whole})`;
      if (home === undefined) return whole;
      const load = home === own ? 'load' : `require("${folder}${home}")`;
      return `${load}("${name}")`;
    });
  const isJoined = (path) => basename(dirname(path)) === 'chunks' && homes.has(basename(path));
  const joined = new Map();
  const parts = new Map(Object.keys(groups).map((home) => [home, []]));
  for (const [path, text] of files) {
    const name = basename(path);
    const home = isJoined(path) ? homes.get(name) : undefined;
    if (home === undefined) joined.set(path, leadTo(text));
    else parts.get(home).push(`"${name}"(exports, module) {\n${leadTo(text, home)}}`);
  }
  for (const [home, chunks] of parts) joined.set(join('chunks', home), fileOf(chunks));
  return joined;
}

const fileOf = (chunks) => `const modules = {};
function load(name) {
  let module = modules[name];
  if (!module) {
    module = modules[name] = { exports: {} };
    chunks[name](module.exports, module);
  }
  return module.exports;
}
const late = (load) => new Proxy({}, { get: (_, name) => load()[name] });
const chunks = {
${chunks.join(',\n')}
};
module.exports = load;
`;
