export { newDatabase } from './database';
