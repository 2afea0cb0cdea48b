import { DomainError } from '../../../src/platform/errors/index.js';
import { UNKNOWN_ID } from '../../../src/platform/database/index.js';
import {
  AllOrNoneOf,
  AtLeastOneOf,
  BooleanParam,
  DateParam,
  EnumParam,
  IdListParam,
  IdParam,
  IntegerParam,
  ObjectListParam,
  PageNumberParam,
  PageQuery,
  type ParametersClass,
  StringListParam,
  StringParam,
  TimestampParam,
  timestampFormat,
  validateParameters,
} from '../../../src/platform/http/index.js';

class PagesFromZero extends PageQuery {
  @PageNumberParam(0, 'From 0.')
  override page: number = 0;
}

class Account {
  @StringParam({ required: true })
  email!: string;

  @StringParam({ required: true })
  password!: string;

  @IntegerParam({ min: 0, max: 100 })
  projects_limit?: number;

  @StringParam({ aliases: ['skype'], maxLength: 5 })
  messenger?: string;
}

@AllOrNoneOf('extern_uid', 'provider')
class ExternalAccount extends Account {
  @StringParam()
  extern_uid?: string;

  @StringParam()
  provider?: string;
}

@AtLeastOneOf()
class Update {
  @StringParam({ blank: 'refused' })
  title?: string;

  @StringParam({ nullable: true })
  description?: string | null;

  @StringListParam()
  labels?: string[];
}

class Preferences {
  @IntegerParam({ nullable: true, emptyClears: true })
  level?: number | null;

  @StringListParam({ nullable: true, emptyClears: true })
  domains?: string[] | null;

  @IntegerParam()
  limit?: number;
}

@AtLeastOneOf('login', 'email')
class Session {
  @StringParam()
  login?: string;

  @StringParam()
  email?: string;

  @StringParam({ required: true })
  password!: string;
}

class Clearing {
  @IdParam({ nullable: true, zeroClears: true })
  assignee_id?: number | null;

  @DateParam()
  due_date?: string | null;

  @BooleanParam()
  flag?: boolean;

  @IdListParam()
  ids?: number[];
}

class Action {
  @EnumParam(['create', 'delete'], { required: true })
  action!: string;

  @IntegerParam({ max: 5 })
  mode?: number;
}

class Commit {
  @ObjectListParam(Action, { required: true })
  actions!: Action[];
}

class Range {
  @TimestampParam({ refuse: timestampFormat })
  since?: Date;

  @EnumParam([0, 10, 20])
  level?: number;
}

function detailOf(type: ParametersClass, raw: unknown): unknown {
  try {
    validateParameters(type, raw);
  } catch (failure) {
    if (failure instanceof DomainError) return failure.detail;
    throw failure;
  }
  return undefined;
}

const textOf = (type: ParametersClass, raw: unknown): unknown =>
  (detailOf(type, raw) as { text?: string } | undefined)?.text;

describe('declared parameters', () => {
  it('names missing parameters, in declaration order', () => {
    expect(detailOf(Account, {})).toEqual({
      code: 'invalid-parameter',
      text: 'email is missing, password is missing',
    });
    expect(textOf(Account, { password: 'x' })).toBe('email is missing');
    expect(textOf(Account, { email: null, password: 'x' })).toBe('email is missing');
    expect(textOf(Account, undefined)).toBe('email is missing, password is missing');
  });

  it('names malformed parameters next to missing ones', () => {
    expect(textOf(Account, { email: {}, projects_limit: 'many' })).toBe(
      'email is invalid, password is missing, projects_limit is invalid',
    );
  });

  it('limits values after they are converted', () => {
    const account = { email: 'a', password: 'b' };
    expect(textOf(Account, { ...account, projects_limit: '-1' })).toBe(
      'projects_limit does not have a valid value',
    );
    expect(textOf(Account, { ...account, projects_limit: 101, messenger: 'abcdef' })).toBe(
      'projects_limit does not have a valid value, messenger is too long (maximum is 5 characters)',
    );
    expect(textOf(Account, { ...account, projects_limit: 100 })).toBeUndefined();
  });

  it('accepts older names, the newer has precedence', () => {
    const account = { email: 'a', password: 'b' };
    expect(validateParameters(Account, { ...account, skype: 'old' }).messenger).toBe('old');
    const both = { ...account, skype: 'old', messenger: 'new' };
    expect(validateParameters(Account, both).messenger).toBe('new');
  });

  it('ignores undeclared names, and names of Object', () => {
    const raw = { email: 'a', password: 'b', constructor: 1, toString: 2, id: 5 };
    expect({ ...validateParameters(Account, raw) }).toEqual({ email: 'a', password: 'b' });
    const inherited: unknown = Object.create({ email: 'a', password: 'b' });
    expect(textOf(Account, inherited)).toBe('email is missing, password is missing');
  });

  it('converts no nested value before its own converter', () => {
    const account = { email: 'a', password: 'b' };
    const nested = ['{"constructor": 1}', '{"then": 1}', '{"__proto__": {"polluted": true}}'];
    for (const text of [...nested, '['.repeat(100_000) + ']'.repeat(100_000)]) {
      const messenger: unknown = JSON.parse(text);
      expect(textOf(Account, { ...account, messenger })).toBe('messenger is invalid');
    }
    expect(textOf(Commit, { actions: [JSON.parse('{"constructor": 1}')] })).toBe(
      'actions[0][action] is missing',
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('wants all or none', () => {
    const account = { email: 'a', password: 'b' };
    expect(textOf(ExternalAccount, { ...account, provider: 'p' })).toBe(
      'extern_uid, provider provide all or none of parameters',
    );
    expect(textOf(ExternalAccount, account)).toBeUndefined();
    expect(textOf(ExternalAccount, { ...account, provider: 'p', extern_uid: 'u' })).toBeUndefined();
    expect(textOf(ExternalAccount, {})).toBe('email is missing, password is missing');
  });

  it('requires at least one', () => {
    const text = 'title, description, labels are missing, at least one parameter must be provided';
    expect(textOf(Update, {})).toBe(text);
    expect(textOf(Update, { unknown: 1, title: null })).toBe(text);
    expect(textOf(Update, { description: null })).toBeUndefined();
    expect(textOf(Update, { labels: '' })).toBeUndefined();
    expect(textOf(Update, { title: ' ' })).toBe('title is empty');
    expect(textOf(Session, { password: 'x' })).toBe(
      'login, email are missing, at least one parameter must be provided',
    );
    expect(textOf(Session, {})).toBe('password is missing');
  });

  it('distinguishes cleared from absent values', () => {
    expect({ ...validateParameters(Clearing, {}) }).toEqual({});
    const nulls = { assignee_id: null, due_date: null, flag: null, ids: null };
    expect({ ...validateParameters(Clearing, nulls) }).toEqual({
      assignee_id: null,
      due_date: null,
    });
    const blanks = { assignee_id: '', due_date: '', flag: '', ids: '' };
    expect({ ...validateParameters(Clearing, blanks) }).toEqual({ due_date: null });
    expect(validateParameters(Clearing, { assignee_id: '0' }).assignee_id).toBeNull();
    expect(validateParameters(Clearing, { ids: '1,99999999999' }).ids).toEqual([1, UNKNOWN_ID]);
  });

  it('treats an empty text as null on request, for every type', () => {
    const empty = { level: '', domains: '', limit: '' };
    expect({ ...validateParameters(Preferences, empty) }).toEqual({ level: null, domains: null });
    const given = { level: '0', domains: [], limit: 1 };
    expect({ ...validateParameters(Preferences, given) }).toEqual({
      level: 0,
      domains: [],
      limit: 1,
    });
  });

  it('reads lists of objects', () => {
    const { actions } = validateParameters(Commit, { actions: { 0: { action: 'create', x: 1 } } });
    expect(actions).toEqual([{ action: 'create' }]);
    expect(actions[0]).toBeInstanceOf(Action);
    for (const raw of ['x', { a: {} }, [1], [null], [[]]]) {
      expect(textOf(Commit, { actions: raw })).toBe('actions is invalid');
    }
    expect(textOf(Commit, { actions: [] })).toBe('actions is missing');
    expect(textOf(Commit, { actions: [{ action: 'create' }, {}] })).toBe(
      'actions[1][action] is missing',
    );
    expect(textOf(Commit, { actions: [{ action: 'create', mode: 9 }] })).toBe(
      'actions[0][mode] does not have a valid value',
    );
  });

  it('uses the error text of a parameter', () => {
    expect(detailOf(Range, { since: 'now' })).toEqual({
      code: 'malformed-timestamp',
      name: 'since',
    });
    expect(textOf(Range, { level: 15 })).toBe('level does not have a valid value');
    expect(validateParameters(Range, { level: '10' }).level).toBe(10);
  });
});

describe('page parameters', () => {
  it.each([
    [{}, 1, 20],
    [{ page: '3', per_page: '50' }, 3, 50],
    [{ page: 0, per_page: 0 }, 1, 20],
    [{ page: -5, per_page: -5 }, 1, 20],
    [{ page: '', per_page: '' }, 1, 20],
    [{ per_page: 101 }, 1, 100],
    [{ page: '9'.repeat(30), per_page: '9'.repeat(30) }, 2147483647, 100],
  ])('%p', (raw, page, perPage) => {
    expect({ ...validateParameters(PageQuery, raw) }).toEqual({ page, perPage });
  });

  it('returns 400 for invalid numbers', () => {
    expect(textOf(PageQuery, { page: 'x' })).toBe('page is invalid');
    expect(textOf(PagesFromZero, { page: 'x' })).toBe('page is invalid');
    expect(validateParameters(PagesFromZero, { page: -1 })).toMatchObject({ page: 0 });
    expect(textOf(PageQuery, { per_page: [5] })).toBe('per_page is invalid');
  });
});
