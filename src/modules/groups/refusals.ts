declare module '../../platform/errors/index.js' {
  interface FieldRules {
    groups: 'below-projects' | 'group-name-form' | 'group-path-form';
  }

  interface Resources {
    groups: 'namespace';
  }
}

export {};
