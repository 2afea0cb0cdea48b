export { MarkdownModule } from './markdown.module.js';
export { MarkdownRenderer } from './markdown-renderer.js';
