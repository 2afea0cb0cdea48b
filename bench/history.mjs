import { git } from './git.mjs';

const COMMITS = 1000;
const MERGE_EVERY = 20;
export const BRANCHES = 100;
const FILES = 240;
const LINES = 40;
/** 2020-01-01; commits follow each other by the hour. */
const EPOCH = 1_577_836_800;
const HOUR = 3600;
const WORDS = 'alder birch cedar elm fir hazel larch maple oak pine rowan spruce willow yew'.split(
  ' ',
);
const PEOPLE = ['Ada Ash', 'Bo Beech', 'Cy Cherry', 'Di Dogwood'];

/** Numbers from 0 up to 1, always the same ones (mulberry32). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** An invented history as a stream for `git fast-import`, the same on every machine. */
class Stream {
  #random = randomNumbers(20_200_101);
  #marks = 0;
  #files = new Map();

  *text() {
    let head;
    for (let index = 1; index <= COMMITS; index += 1) {
      const side = index % MERGE_EVERY === 0 ? head : undefined;
      const merged = side && this.#marks + 1;
      if (side) yield this.#commit('side', side);
      yield this.#commit('master', head, merged);
      head = this.#marks;
    }
    for (let index = 1; index <= BRANCHES; index += 1) {
      const name = `topic/${String(index).padStart(3, '0')}`;
      // Every second one has a commit of its own, the others are merged.
      if (index % 2 === 0) yield this.#commit(name, head - index);
      else yield `reset refs/heads/${name}\nfrom :${head - index}\n\n`;
    }
    yield `reset refs/heads/side\nfrom ${'0'.repeat(40)}\n\n`;
  }

  #commit(branch, parent, merged) {
    this.#marks += 1;
    const person = this.#one(PEOPLE);
    const mail = `${person.split(' ')[0].toLowerCase()}@example.com`;
    const signature = `${person} <${mail}> ${EPOCH + this.#marks * HOUR} +0200`;
    const message = `${this.#words(6)}\n\n${this.#words(30)}\n`;
    const changes = Array.from({ length: 1 + Math.floor(this.#random() * 4) }, () =>
      this.#change(),
    );
    return [
      `commit refs/heads/${branch}\nmark :${this.#marks}\n`,
      `author ${signature}\ncommitter ${signature}\n${data(message)}`,
      parent === undefined ? '' : `from :${parent}\n`,
      merged === undefined ? '' : `merge :${merged}\n`,
      ...changes,
      '\n',
    ].join('');
  }

  #change() {
    const index = Math.floor(this.#random() * FILES);
    const path = `src/${WORDS[index % WORDS.length]}/file-${index}.txt`;
    const lines = this.#files.get(path) ?? Array.from({ length: LINES }, () => this.#words(8));
    lines[Math.floor(this.#random() * LINES)] = this.#words(8);
    this.#files.set(path, lines);
    return `M 100644 inline ${path}\n${data(`${lines.join('\n')}\n`)}`;
  }

  #words(count) {
    return Array.from({ length: count }, () => this.#one(WORDS)).join(' ');
  }

  #one(list) {
    return list[Math.floor(this.#random() * list.length)];
  }
}

/** All of it is ASCII, so characters are bytes. */
function data(text) {
  return `data ${text.length}\n${text}\n`;
}

/**
 * Makes a bare repository with about 1,000 commits, some of them merges, and 100 branches beside
 * `master`.
 * @param {string} folder
 */
export async function generateHistory(folder) {
  await git(['init', '--quiet', '--bare', '--initial-branch=master', folder]);
  await git(['-C', folder, 'fast-import', '--quiet', '--force'], { input: new Stream().text() });
  await git(['-C', folder, 'gc', '--quiet']);
}
