export { presentVisibility, readVisibility, VISIBILITY_LEVELS } from './visibility.js';
