import { parquetMetadataAsync } from 'hyparquet';
import { JsonFault, JsonReader } from '../json/parse-json.js';
import { isRowObject, type RowValue, type SourceFile } from '../row/source-row.js';
import { parquetBytes } from './read-parquet.js';

/**
 * Names of the classes 0, 1, ... by field, where a Parquet file carries them (`ClassLabel` of the Hugging Face
 * library); none where it does not. The rows of the file must have been read before, so that it is known to be sound.
 */
export async function readClassNames(file: SourceFile): Promise<ReadonlyMap<string, readonly string[]>> {
  const { key_value_metadata } = await parquetMetadataAsync(await parquetBytes(file));
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
