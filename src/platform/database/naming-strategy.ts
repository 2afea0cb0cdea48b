import { DefaultNamingStrategy } from 'typeorm';

/** Maps `createdAt` to `created_at`: PostgreSQL's own convention, so that no SQL needs quotes. */
export class SnakeCaseNamingStrategy extends DefaultNamingStrategy {
  override columnName(property: string, custom: string, prefixes: string[]): string {
    return [...prefixes, custom || property].map(toSnakeCase).join('_');
  }
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
