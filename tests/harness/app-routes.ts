import { readdirSync, readFileSync } from 'node:fs';

/** Every page and route file of `app`: its path without groups, and its methods. */

type AppRoute = { place: string; methods: string[]; isPage: boolean };

const METHOD = /^export (?:async function|function|const) (GET|POST|PUT|PATCH|DELETE|OPTIONS)\b/gm;

export const APP_ROUTES: AppRoute[] = readdirSync('app', { recursive: true, encoding: 'utf8' })
  .filter((file) => /(^|\/)(page\.tsx|route(\.api)?\.ts)$/.test(file))
  .map((file) => ({
    place: `/${file}`.replace(/\/\([\w-]+\)(?=\/)|\/(page\.tsx|route(\.api)?\.ts)$/g, '') || '/',
    isPage: file.endsWith('page.tsx'),
    methods: file.endsWith('page.tsx')
      ? ['GET']
      : [...readFileSync(`app/${file}`, 'utf8').matchAll(METHOD)].flatMap(([, method]) => method ?? []),
  }));
