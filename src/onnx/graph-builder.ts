import type { OnnxNode, OnnxTensor } from './onnx-model.ts';

/** Collects the nodes and initializers of a graph; each call gives the name of its result. */
export class GraphBuilder {
  readonly nodes: OnnxNode[] = [];
  readonly initializers: OnnxTensor[] = [];

  /** `output`: where the result has to have a certain name. */
  apply(
    operator: string,
    inputs: readonly string[],
    attributes: NonNullable<OnnxNode['attributes']> = {},
    output = `value${this.nodes.length}`,
  ): string {
    this.nodes.push({ operator, inputs, outputs: [output], attributes });
    return output;
  }

  constant(shape: readonly number[], values: OnnxTensor['values']): string {
    const name = `constant${this.initializers.length}`;
    this.initializers.push({ name, shape, values });
    return name;
  }

  integers(...values: number[]): string {
    return this.constant([values.length], BigInt64Array.from(values, BigInt));
  }
}
