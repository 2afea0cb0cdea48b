import type { Type } from '@nestjs/common';
import type * as Swagger from '@nestjs/swagger';

type Decorator = ClassDecorator & MethodDecorator & PropertyDecorator;

/** What decorators say, in the order in which they were evaluated. */
const notes: ((swagger: typeof Swagger) => void)[] = [];

/*
 * The decorators of `@nestjs/swagger` for controllers, views and parameters. Processes that serve do not load that package
 * (docs/decisions/0045-start-and-memory.md): what the decorators say is noted here, until the generator of the
 * interface document applies it.
 */
export const ApiConsumes = noting('ApiConsumes');
export const ApiExcludeController = noting('ApiExcludeController');
export const ApiExtension = noting('ApiExtension');
export const ApiExtraModels = noting('ApiExtraModels');
export const ApiOperation = noting('ApiOperation');
export const ApiProperty = noting('ApiProperty');
export const ApiResponse = noting('ApiResponse');

function noting<
  Name extends
    | 'ApiConsumes'
    | 'ApiExcludeController'
    | 'ApiExtension'
    | 'ApiExtraModels'
    | 'ApiOperation'
    | 'ApiProperty'
    | 'ApiResponse',
>(name: Name) {
  return (...options: Parameters<(typeof Swagger)[Name]>): Decorator =>
    (...decorated: unknown[]) => {
      notes.push((swagger) => {
        const decorator = swagger[name] as (
          ...options: unknown[]
        ) => (...decorated: unknown[]) => void;
        decorator(...options)(...decorated);
      });
    };
}

/** Applies the noted decorators, those of all modules that are loaded. */
export function applyDecorators(swagger: typeof Swagger): void {
  for (const apply of notes.splice(0)) apply(swagger);
}

/** The reference to the schema of a view. */
export function schemaPath(view: Type): string {
  return `#/components/schemas/${view.name}`;
}
