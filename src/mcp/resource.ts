import type {
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerContext,
} from '@modelcontextprotocol/server';

/** What can be read by its address. */
export interface Resources {
  list(context: ServerContext): Promise<Resource[]>;
  templates: readonly ResourceTemplateType[];
  /** Undefined where there is nothing at this address for the one who asks. */
  read(uri: string, context: ServerContext): Promise<ReadResourceResult | undefined>;
}
