export { Urls } from './urls.js';
