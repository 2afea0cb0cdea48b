import { getMetadataStorage } from 'class-validator';

/**
 * Makes class-validator remember the constraints of each class. For every validation it compares the class with all
 * classes that have constraints, to find its base classes, and copies what it finds; the result is the same each time,
 * since a class is complete, with its base classes, before it is validated. Only for a process whose validations all
 * have the same options, and none with groups.
 */
export function rememberConstraints(): void {
  const storage = getMetadataStorage();
  const search = storage.getTargetValidationMetadatas.bind(storage);
  const known = new WeakMap<object, ReturnType<typeof search>>();
  storage.getTargetValidationMetadatas = (type, ...options) => {
    const found = known.get(type) ?? search(type, ...options);
    known.set(type, found);
    return found;
  };
}
