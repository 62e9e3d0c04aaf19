import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';
import { JsonFault, JsonReader } from './parse-json.js';
import { isRowObject, type RowValue } from './source-row.js';

/**
 * Names of the classes 0, 1, ... by field, where a Parquet file carries them (`ClassLabel` of the Hugging Face library);
 * none where it does not. For a file whose rows have been read, so that it is sound.
 */
export async function readClassNames(file: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { key_value_metadata } = await parquetMetadataAsync(await asyncBufferFromFile(file));
  const said = parsed(key_value_metadata?.find(({ key }) => key === 'huggingface')?.value ?? 'null');
  const info = isRowObject(said) ? said.info : undefined;
  const features = isRowObject(info) ? info.features : undefined;
  if (!isRowObject(features)) return new Map();
  return new Map(
    Object.entries(features).flatMap(([field, feature]) => {
      const names = isRowObject(feature) && Array.isArray(feature.names) ? feature.names : [];
      const texts = names.filter((name) => typeof name === 'string');
      return texts.length >= 2 && texts.length === names.length ? [[field, texts] as const] : [];
    }),
  );
}

function parsed(text: string): RowValue {
  try {
    return new JsonReader(text).readAll();
  } catch (error) {
    if (error instanceof JsonFault) return null;
    throw error;
  }
}
