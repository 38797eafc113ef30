import type { TestProject } from 'vitest/node';
import { useDatabaseServer } from './database-server';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the server's default database; a test file clones its database from the template. */
    serverUrl: string;
    templateName: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { serverUrl, templateName, stop } = await useDatabaseServer();
  project.provide('serverUrl', serverUrl);
  project.provide('templateName', templateName);
  return stop;
}
