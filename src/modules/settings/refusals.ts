declare module '../../platform/errors/index.js' {
  interface FieldRules {
    settings:
      | 'empty-blacklist'
      | 'not-a-visibility'
      | 'not-included'
      /** A visibility that the settings leave to administrators. */
      | 'restricted-visibility'
      | 'unknown-storages';
  }
}

export {};
