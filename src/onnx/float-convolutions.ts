/**
 * Networks quantized to 8 bits round the sound itself before their first layers: one outlier in a window, and quiet
 * detail is gone. Here the convolutions keep their 8-bit weights and take their input as it is. Decision 0165 has the figures.
 */
import { operation } from './edited-graph.ts';
import { attribute, elementType, graph, node, tensor } from './onnx-fields.ts';
import { bytesField, type Field, fieldsOf, messageOf, numberField, textsOf } from './protobuf-fields.ts';

const integerAttribute = 2;

interface Quantization {
  input: string;
  scale: string;
}

/** A network without such convolutions stays as it is. */
export function floatConvolutions(whole: readonly Field[]): readonly Field[] {
  const convolved = new Set(
    whole.filter(isNode('ConvInteger')).map((field) => textsOf(fieldsOf(field.bytes), node.input)[0]),
  );
  const quantizations = new Map<string, Quantization>();
  for (const field of whole.filter(isNode('DynamicQuantizeLinear'))) {
    const parts = fieldsOf(field.bytes);
    const [input = ''] = textsOf(parts, node.input);
    const [quantized = '', scale = ''] = textsOf(parts, node.output);
    if (convolved.has(quantized)) quantizations.set(quantized, { input, scale });
  }
  const fields = whole.flatMap((field) => {
    if (isNode('ConvInteger')(field)) return floatConvolution(fieldsOf(field.bytes), quantizations);
    if (!isNode('DynamicQuantizeLinear')(field)) return [field];
    const quantization = quantizations.get(textsOf(fieldsOf(field.bytes), node.output)[0] ?? '');
    return quantization ? [scaleOfOne(quantization.scale)] : [field];
  });
  // The types noted for inner values are those of before; they are optional.
  return convolved.size === 0 ? whole : fields.filter(({ number }) => number !== graph.shape);
}

function floatConvolution(
  parts: readonly Field[],
  quantizations: ReadonlyMap<string, Quantization>,
): Field[] {
  const [quantized = '', weights = '', , zeroPoint = ''] = textsOf(parts, node.input);
  const [output = ''] = textsOf(parts, node.output);
  const input = quantizations.get(quantized)?.input;
  if (!input || !zeroPoint) throw new Error('the convolution is not quantized as expected');
  return [
    castToFloat(weights, `${output}.weights`),
    castToFloat(zeroPoint, `${output}.zero`),
    operation('Sub', [`${output}.weights`, `${output}.zero`], `${output}.centred`),
    operation(
      'Conv',
      [input, `${output}.centred`],
      output,
      parts.filter(({ number }) => number === node.attribute),
    ),
  ];
}

/** What follows multiplies by the scale of the input, of which there is none any more. */
function scaleOfOne(name: string): Field {
  const one = Buffer.from(Float32Array.of(1).buffer);
  return bytesField(
    graph.tensor,
    messageOf([
      numberField(tensor.type, elementType.float),
      bytesField(tensor.name, name),
      bytesField(tensor.bytes, one),
    ]),
  );
}

function castToFloat(input: string, output: string): Field {
  const to = messageOf([
    bytesField(attribute.name, 'to'),
    numberField(attribute.integer, elementType.float),
    numberField(attribute.type, integerAttribute),
  ]);
  return operation('Cast', [input], output, [bytesField(node.attribute, to)]);
}

function isNode(operator: string): (field: Field) => boolean {
  return ({ number, bytes }) =>
    number === graph.node && textsOf(fieldsOf(bytes), node.operator)[0] === operator;
}
