/** The published types of @npmcli/config leave this module out. */
declare module '@npmcli/config/lib/definitions/index.js' {
  import type NpmConfig from '@npmcli/config';

  const npmDefinitions: Pick<
    ConstructorParameters<typeof NpmConfig>[0],
    'definitions' | 'flatten' | 'shorthands'
  >;
  export = npmDefinitions;
}
