export { presentNote } from './note.view.js';
