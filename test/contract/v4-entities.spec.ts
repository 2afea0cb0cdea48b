import { readFileSync } from 'node:fs';
import { V4 } from '../../src/faces/index.js';
import { violationsOf } from '../support/openapi-validator.js';
import {
  ENTITY_OF_VIEW,
  EXCEPTIONS,
  NOT_SHOWN,
  partsOf,
  readEntities,
} from '../support/v4-entities.js';

interface InterfaceDocument {
  components: { schemas: Record<string, { properties?: Record<string, object> }> };
}

/** Every answer of every test is compared with the entities (`violationsOf`). */
describe('the entities of version 4', () => {
  const document = JSON.parse(readFileSync(V4.document, 'utf8')) as InterfaceDocument;
  const entities = readEntities();

  it('are shown by views of the interface document, or it is known why not', () => {
    const { schemas } = document.components;
    expect(Object.keys(ENTITY_OF_VIEW).filter((view) => !(view in schemas))).toEqual([]);
    const shown = Object.values(ENTITY_OF_VIEW).flatMap((entity) => [...partsOf(entity, entities)]);
    const missing = Object.keys(entities).filter((entity) => !shown.includes(entity));
    expect(missing.toSorted()).toEqual(Object.keys(NOT_SHOWN).toSorted());
  });

  it('have the fields of all exceptions', () => {
    const lines = readFileSync('test/support/v4-entities.txt', 'utf8').split('\n');
    const unknown = Object.keys(EXCEPTIONS).filter((exception) => {
      const [entity = '', field = ''] = exception.split('.');
      return !lines.some((line) => line.startsWith(`${entity} = `) && line.includes(` ${field}:`));
    });
    expect(unknown).toEqual([]);
  });

  const version = {
    version: '17.11.0',
    revision: '0.2.0',
    kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
    enterprise: false,
  };
  const namespace = {
    id: 1,
    name: 'A',
    path: 'a',
    kind: 'group',
    full_path: 'a',
    parent_id: null,
    avatar_url: null,
    web_url: 'http://localhost/a',
  };
  const seen = (path: string, body: object) =>
    violationsOf(V4, 'get', path, {
      status: 200,
      headers: { 'content-type': 'application/json' },
      text: JSON.stringify(body),
      body,
    });

  it.each([
    ['a field that is missing', { ...version, enterprise: undefined }],
    ['another type', { ...version, revision: null }],
  ])('do not have %s', (_, body) => {
    expect(seen('/version', version)).toEqual([]);
    expect(seen('/version', JSON.parse(JSON.stringify(body)) as object)).not.toEqual([]);
  });

  it('have whole numbers as ids, which the interface document calls numbers', () => {
    expect(seen('/namespaces/1', namespace).filter((text) => text.includes('/id'))).toEqual([]);
    expect(seen('/namespaces/1', { ...namespace, id: 1.5 })).toContainEqual(
      expect.stringContaining('body/id must be integer'),
    );
  });
});
