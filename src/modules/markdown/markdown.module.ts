import { Module } from '@nestjs/common';
import { IssuablesModule } from '../issuables/index.js';
import { RepositoryModule } from '../repository/index.js';
import { NamedRepository } from './links/named.repository.js';
import { ReferenceLinks } from './links/reference-links.js';
import { MarkdownRenderer } from './markdown-renderer.js';
import { MarkdownService } from './markdown.service.js';
import { RenderThreads } from './threads/render-threads.js';
import { V4MarkdownController } from './v4/markdown.controller.js';

/** Rendering of Markdown for its readers. */
@Module({
  imports: [IssuablesModule, RepositoryModule],
  controllers: [V4MarkdownController],
  providers: [MarkdownRenderer, MarkdownService, NamedRepository, ReferenceLinks, RenderThreads],
  exports: [MarkdownRenderer],
})
export class MarkdownModule {}
