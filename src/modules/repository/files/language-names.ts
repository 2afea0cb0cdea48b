import path from 'node:path';

/** Files that are written elsewhere, or that document: they say nothing of what a project is written in. */
const NOT_COUNTED =
  /(?:^|\/)(?:node_modules|bower_components|vendors?|third[-_]?party|dist|docs?|examples?|samples?)\/|\.min\.(?:css|js)$/i;

/** The language of an extension that several begin their lists with, or none of them. The others are not counted. */
const SHARED: Readonly<Record<string, string>> = {
  '.as': 'ActionScript',
  '.cake': 'C#',
  '.cgi': 'Perl',
  '.cls': 'Apex',
  '.d': 'D',
  '.es': 'JavaScript',
  '.frag': 'GLSL',
  '.ftl': 'FreeMarker',
  '.h': 'C',
  '.hh': 'C++',
  '.inc': 'PHP',
  '.l': 'Lex',
  '.m': 'Objective-C',
  '.ml': 'OCaml',
  '.pl': 'Perl',
  '.pm': 'Perl',
  '.pro': 'QMake',
  '.r': 'R',
  '.rs': 'Rust',
  '.scm': 'Scheme',
  '.st': 'Smalltalk',
  '.v': 'Verilog',
};

/** Linguist's data as far as it is used. */
interface LinguistLanguage {
  readonly name: string;
  readonly type: string;
  /** The language whose dialect it is. */
  readonly group?: string;
  /** The usual one first. */
  readonly extensions?: readonly string[];
  readonly filenames?: readonly string[];
}

/** Returns the language of a file; undefined where it is unknown or the file does not count. */
export type LanguageOf = (file: string) => string | undefined;

/** Loads Linguist's table, of 800 modules. */
export async function loadLanguages(): Promise<LanguageOf> {
  const all: Readonly<Record<string, LinguistLanguage>> = await import('linguist-languages');
  const languages = Object.values(all);
  const counted = new Set(languages.filter(isCounted).map(nameOf));
  const byName = new Map(
    languages.flatMap((one) => (one.filenames ?? []).map((file) => [file, nameOf(one)] as const)),
  );
  const byExtension = new Map(
    [...usersOfExtensions(languages)].map(([extension, users]) => [
      extension,
      SHARED[extension] ?? ownerOf(extension, users),
    ]),
  );
  return (file) => {
    if (NOT_COUNTED.test(file)) return undefined;
    const extension = path.posix.extname(file).toLowerCase();
    const name = byName.get(path.posix.basename(file)) ?? byExtension.get(extension);
    return name !== undefined && counted.has(name) ? name : undefined;
  };
}

/** Languages for programs and pages, as opposed to those for data and prose. */
const isCounted = ({ type }: LinguistLanguage): boolean =>
  type === 'programming' || type === 'markup';

const nameOf = ({ name, group = name }: LinguistLanguage): string => group;

function usersOfExtensions(
  languages: readonly LinguistLanguage[],
): ReadonlyMap<string, readonly LinguistLanguage[]> {
  const users = new Map<string, LinguistLanguage[]>();
  for (const language of languages) {
    for (const extension of new Set(language.extensions?.map((one) => one.toLowerCase()))) {
      const others = users.get(extension);
      if (others === undefined) users.set(extension, [language]);
      else others.push(language);
    }
  }
  return users;
}

/** The only language that uses an extension, or that has it as its usual one. */
function ownerOf(extension: string, users: readonly LinguistLanguage[]): string | undefined {
  const usual = users.filter(({ extensions }) => extensions?.[0] === extension);
  const [owner, ...others] = users.length === 1 ? users : usual;
  return owner === undefined || others.length > 0 ? undefined : nameOf(owner);
}
