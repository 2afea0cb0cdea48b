import { Module } from '@nestjs/common';

/** Hooks of projects and of the instance, and their deliveries (specification 4.5, open points 7). */
@Module({})
export class HooksModule {}
