import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { PageQuery } from '../../../src/platform/http/index.js';
import type { CreateThing } from './support/controllers.js';
import { tinyApp } from './support/tiny-app.js';

@Controller('imports')
class ImportsController {
  @Get()
  list(@Query() query: PageQuery): PageQuery {
    return query;
  }

  // The type of a selected value is not used.
  @Post('selected')
  select(@Body('value') value: CreateThing | null): CreateThing | null {
    return value;
  }

  @Get('types')
  read(@Query() query: CreateThing): CreateThing {
    return query;
  }

  @Post('types')
  create(@Body() body: CreateThing): CreateThing {
    return body;
  }
}

// tsc, which compiles the service, writes Function where swc, which compiles the tests, writes Object.
Reflect.defineMetadata('design:paramtypes', [Function], ImportsController.prototype, 'create');

describe('arguments whose class is imported as a type', () => {
  it('fail the start of the application, by name', async () => {
    await expect(tinyApp({ controllers: [ImportsController] })).rejects.toThrow(
      [
        'ImportsController.read: the class of @Query() is imported with "type"; import it as a value',
        'ImportsController.create: the class of @Body() is imported with "type"; import it as a value',
      ].join('\n'),
    );
  });
});
