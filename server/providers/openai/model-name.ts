export { renameModel } from '../model-name';
