import { FOLDERS, FOUNDATIONS, ROOTS, RULES } from './rules.mjs';

/** Of more end-to-end folders than these, only a sample is run. */
const MOST_FOLDERS = 3;
const ALL_FOLDERS = Object.keys(FOLDERS);

/**
 * Chooses the suites that a change can touch: unit suites that import a changed file, other suites that do so
 * themselves, those that a rule names, and the end-to-end suites of the rooms that import it. Imports are not
 * followed beyond what puts the service together, since every end-to-end suite imports that.
 * @param {object} input
 * @param {string[]} input.changed paths
 * @param {Record<string, string[]>} input.imports of each file
 * @param {string[]} input.suites paths of all suites
 * @returns {{ suites: string[], sampled: string[] }} `sampled`: end-to-end folders of which one suite is chosen
 */
export function chooseSuites({ changed, imports, suites }) {
  const importers = invert(imports);
  const [chosen, whole, touched] = [new Set(), new Set(), new Set()];
  for (const file of changed) {
    const dependents = dependentsOf(file, importers);
    const importing = suites.filter(
      (suite) =>
        dependents.includes(suite) && (!isOfService(file, suite) || imports[suite].includes(file)),
    );
    const folders = new Set(importing.map(e2eFolderOf).filter((folder) => folder !== undefined));
    const isCommon = folders.size > MOST_FOLDERS;
    for (const suite of importing)
      if (!isCommon || e2eFolderOf(suite) === undefined) chosen.add(suite);
    for (const suite of suitesByRule(file, suites)) chosen.add(suite);
    for (const folder of foldersOf([file])) whole.add(folder);
    for (const folder of isCommon ? folders : []) touched.add(folder);
    for (const folder of touchesAll(file, dependents) ? ALL_FOLDERS : foldersOf(dependents)) {
      touched.add(folder);
    }
  }
  const others = [...touched].filter((folder) => !whole.has(folder));
  const isSampled = whole.size + others.length > MOST_FOLDERS;
  const sampled = isSampled ? others : [];
  for (const folder of isSampled ? whole : [...whole, ...others]) {
    for (const suite of suites) if (e2eFolderOf(suite) === folder) chosen.add(suite);
  }
  for (const folder of sampled) chosen.add(`test/e2e/${folder}/${FOLDERS[folder].sample}.spec.ts`);
  return { suites: suites.filter((suite) => chosen.has(suite)), sampled };
}

/** Whether a file of the service is tested by a suite through the service: factories and the like import much of it. */
const isOfService = (file, suite) => file.startsWith('src/') && !suite.startsWith('test/unit/');

const e2eFolderOf = (suite) => /^test\/e2e\/([^/]+)\//.exec(suite)?.[1];

function invert(imports) {
  const importers = new Map();
  for (const [file, imported] of Object.entries(imports)) {
    for (const name of imported) importers.set(name, [...(importers.get(name) ?? []), file]);
  }
  return importers;
}

/** The file and all that import it, directly or not. */
function dependentsOf(file, importers) {
  const found = new Set([file]);
  for (const current of found) {
    if (ROOTS.test(current)) continue;
    for (const importer of importers.get(current) ?? []) found.add(importer);
  }
  return [...found];
}

function suitesByRule(file, suites) {
  const beginnings = RULES.filter(([pattern]) => pattern.test(file)).flatMap(([, names]) => names);
  return suites.filter((suite) => beginnings.some((name) => suite.startsWith(`test/${name}`)));
}

/** The end-to-end folders of the rooms that some files are in. */
function foldersOf(files) {
  const rooms = new Set(files.map((file) => /^src\/modules\/([^/]+)\//.exec(file)?.[1]));
  return ALL_FOLDERS.filter((folder) => FOLDERS[folder].rooms.some((room) => rooms.has(room)));
}

/** What no room imports, but the service is put together with, may touch any of them. */
function touchesAll(file, dependents) {
  if (FOUNDATIONS.test(file)) return true;
  return /^src\/(platform|git)\//.test(file) && dependents.some((name) => FOUNDATIONS.test(name));
}
