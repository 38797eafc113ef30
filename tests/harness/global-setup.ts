import type { TestProject } from 'vitest/node';
import { startDatabaseServer } from './database-server';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the server's own database; a test file makes its database from the template. */
    serverUrl: string;
    templateName: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { serverUrl, templateName, stop } = await startDatabaseServer();
  project.provide('serverUrl', serverUrl);
  project.provide('templateName', templateName);
  return stop;
}
