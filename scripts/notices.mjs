// What other people's work is inside: notices for people, an SBOM (SPDX) for programs. From what esbuild really took.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { JSX, PAGE_ENTRY } from './build-page.mjs';

const LEGAL = /^(licen[cs]e|copying|notice)/i;

/** The folder of the package a bundled file belongs to: the last one below node_modules. */
function packageFolder(path) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

/** The page has packages of its own, wherever it is carried. */
const PAGE = { bundle: true, format: 'esm', ...JSX, entryPoints: [PAGE_ENTRY], logLevel: 'error' };

/** Every package of which something is in the bundle, with its licence and its own words about it. */
export async function bundledPackages(root, settings) {
  const inputsOf = async (taken) => {
    const options = { absWorkingDir: root, write: false, metafile: true, outdir: 'dist' };
    return Object.keys((await build({ ...taken, ...options })).metafile.inputs);
  };
  const inputs = [...(await inputsOf(settings)), ...(await inputsOf(PAGE))];
  const folders = new Set(inputs.map(packageFolder).filter(Boolean));
  return [...folders]
    .map((folder) => describe(root, folder))
    .sort((a, b) => (a.name === b.name ? compare(a.version, b.version) : compare(a.name, b.name)));
}

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

function describe(root, folder) {
  const path = join(root, folder);
  const about = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const files = readdirSync(path).filter((name) => LEGAL.test(name));
  const texts = files.sort().map((name) => readFileSync(join(path, name), 'utf8').trim());
  return {
    name: about.name,
    version: about.version,
    license:
      typeof about.license === 'string' ? about.license : (about.license?.type ?? 'NOASSERTION'),
    homepage: about.homepage,
    text: texts.join('\n\n'),
  };
}

export function noticesText(packages) {
  const opening =
    'atoll contains the following packages, unmodified. Each is under its own licence, below.\n' +
    'What is under the LGPL is there as plain JavaScript between its own names: take the sources of\n' +
    'atoll and another version of that package, and build again with "npm run build".\n';
  // Many packages share a licence to the letter: it is told once, below all of them.
  const byText = new Map();
  for (const one of packages) byText.set(one.text, [...(byText.get(one.text) ?? []), one]);
  const parts = [...byText].map(([text, group]) => {
    const heads = group.map(
      ({ name, version, license, homepage }) =>
        `${name} ${version} (${license})${homepage ? ` ${homepage}` : ''}`,
    );
    return `${heads.join('\n')}\n\n${text || 'These packages bring no text of their own.'}`;
  });
  return `${[opening, ...parts].join(`\n${'-'.repeat(80)}\n`)}\n`;
}

/** SPDX 2.3. Its date says nothing on purpose: the same input gives the same bytes. */
export function sbomText(packages, { version, hashes }) {
  const id = (name) => `SPDXRef-${name.replace(/[^A-Za-z0-9.-]/g, '-')}`;
  const atoll = {
    SPDXID: 'SPDXRef-atoll',
    name: 'atoll',
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    licenseDeclared: 'Apache-2.0',
    licenseConcluded: 'Apache-2.0',
    copyrightText: 'NOASSERTION',
    filesAnalyzed: false,
  };
  const others = packages.map((one) => ({
    SPDXID: id(`${one.name}-${one.version}`),
    name: one.name,
    versionInfo: one.version,
    downloadLocation: 'NOASSERTION',
    licenseDeclared: one.license,
    licenseConcluded: one.license,
    copyrightText: 'NOASSERTION',
    filesAnalyzed: false,
    ...(hashes(one) ? { checksums: [{ algorithm: 'SHA512', checksumValue: hashes(one) }] } : {}),
    externalRefs: [
      {
        referenceCategory: 'PACKAGE-MANAGER',
        referenceType: 'purl',
        referenceLocator: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
      },
    ],
  }));
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `atoll-${version}`,
    documentNamespace: `urn:atoll:sbom:${version}`,
    creationInfo: { created: '1970-01-01T00:00:00Z', creators: [`Tool: atoll-build-${version}`] },
    packages: [atoll, ...others],
    relationships: [
      relation('SPDXRef-DOCUMENT', 'DESCRIBES', atoll.SPDXID),
      ...others.map(({ SPDXID }) => relation(atoll.SPDXID, 'CONTAINS', SPDXID)),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const relation = (spdxElementId, relationshipType, relatedSpdxElement) => ({
  spdxElementId,
  relationshipType,
  relatedSpdxElement,
});

/** The sha512 of each package's archive, in hex, as the lockfile has it. */
export function lockedHashes(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = new Map();
  for (const [path, { version, integrity }] of Object.entries(packages)) {
    const name = path.split('node_modules/').at(-1);
    const [, base64] = /^sha512-(\S+)/.exec(integrity ?? '') ?? [];
    if (base64) found.set(`${name}@${version}`, Buffer.from(base64, 'base64').toString('hex'));
  }
  return ({ name, version }) => found.get(`${name}@${version}`);
}

/** Both texts, by the names they are carried under. */
export async function legalTexts(root, settings) {
  const packages = await bundledPackages(root, settings);
  const versionFile = join(root, 'assets', 'version.txt');
  const version = existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : '0.0.0';
  return {
    'NOTICES.txt': noticesText(packages),
    'sbom.spdx.json': sbomText(packages, { version, hashes: lockedHashes(root) }),
  };
}
