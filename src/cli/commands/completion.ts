import { Argument, Command, type Option } from 'commander';
import { type KnownNames, knownNames } from '../../pipeline/known-names.js';
import { EXIT } from '../terminal/exit-code.js';
import type { Act } from '../terminal/session.js';

const HELP = `
Completes commands, flags, their choices, and the ids of suites, models and data sets of models.yaml here.

  bash   echo 'source <(supportcal completion bash)' >> ~/.bashrc
  zsh    echo 'source <(supportcal completion zsh)' >> ~/.zshrc
  fish   supportcal completion fish > ~/.config/fish/completions/supportcal.fish`;

/**
 * Each script asks the program itself, so that it never is of another version. No answer means: files. What it answers
 * is quoted for the shell, since ids are the text of a YAML that may be someone else's.
 */
const SCRIPTS = {
  bash: `_supportcal() {
  local line=\${COMP_LINE:0:COMP_POINT} words word quoted last
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  last=\${words[\${#words[@]}-1]}
  COMPREPLY=()
  while IFS= read -r word; do
    # Bash takes what follows a colon or an equals sign for a word of its own.
    printf -v quoted %q "\${word#"\${last%"\${last##*[:=]}"}"}"
    COMPREPLY+=("$quoted")
  done < <(supportcal __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _supportcal supportcal`,
  zsh: `#compdef supportcal
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
_supportcal() {
  local -a found
  found=("\${(@f)$(supportcal __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
if [[ "$funcstack[1]" == _supportcal ]]; then _supportcal; else compdef _supportcal supportcal; fi`,
  fish: `function __supportcal_complete
  set -l before (commandline -opc)
  set -l found (supportcal __complete -- $before[2..-1] (commandline -ct | string collect --allow-empty) 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c supportcal -f -a '(__supportcal_complete)'`,
} as const;

type Shell = keyof typeof SCRIPTS;

export function completionCommand(act: Act): Command {
  return new Command('completion')
    .description('print what makes a shell complete commands, flags and ids')
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', HELP)
    .action((shell: Shell) =>
      act({}, async (session) => {
        session.print(SCRIPTS[shell]);
        return EXIT.done;
      }),
    );
}

/** What the scripts call: prints what the last of the words may become, one a line. */
export function completeCommand(act: Act, program: Command): Command {
  return new Command('__complete').argument('[words...]').action((words: string[]) =>
    act({}, async (session) => {
      const found = await candidates(program, words);
      if (found.length > 0) session.print(found.join('\n'));
      return EXIT.done;
    }),
  );
}

async function candidates(program: Command, words: readonly string[]): Promise<string[]> {
  const [, joined, value] = /^(--[^=]+)=(.*)$/.exec(words.at(-1) ?? '') ?? [];
  if (joined !== undefined)
    return (await candidates(program, [...words.slice(0, -1), joined, value ?? ''])).map((each) => `${joined}=${each}`);
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const { command, operands } = commandIn(program, before);
  const flag = command.options.find(({ long, short }) => [long, short].includes(before.at(-1)));
  const offered =
    flag?.required || flag?.optional
      ? await valuesOf(flag, before)
      : current.startsWith('-')
        ? command.options.flatMap(({ long, hidden }) => (long == null || hidden ? [] : [long]))
        : [
            ...command.commands.filter((each) => !each.name().startsWith('_')).map((each) => each.name()),
            ...(command.registeredArguments[operands]?.argChoices ?? []),
          ];
  // A name with a line break or the like cannot be typed; the shell would take it for several.
  return [...new Set(offered)].filter((each) => each.startsWith(current) && !/\p{Cc}/u.test(each)).sort();
}

/** The command that words lead to, and how many operands of it are among them. */
function commandIn(program: Command, words: readonly string[]) {
  let command = program;
  let operands = 0;
  let isValue = false;
  for (const word of words) {
    const flag = command.options.find(({ long, short }) => [long, short].includes(word));
    const inner = command.commands.find((each) => each.name() === word);
    if (isValue) isValue = false;
    else if (flag !== undefined) isValue = flag.required || flag.optional;
    else if (inner === undefined) operands += word.startsWith('-') ? 0 : 1;
    else [command, operands] = [inner, 0];
  }
  return { command, operands };
}

/** Which names a flag takes. */
const NAMES: Readonly<Record<string, keyof KnownNames>> = {
  '--suite': 'suites',
  '--model': 'models',
  '--target': 'targets',
  '--dataset': 'datasets',
};

async function valuesOf(flag: Option, words: readonly string[]): Promise<readonly string[]> {
  if (flag.argChoices !== undefined) return flag.argChoices;
  const kind = NAMES[flag.long ?? ''];
  if (kind === undefined) return [];
  const given = (name: string) => words[words.lastIndexOf(name) + 1];
  const models = (words.includes('--models') && given('--models')) || 'models.yaml';
  const datasets = (words.includes('--datasets') && given('--datasets')) || 'datasets';
  return (await knownNames(models, datasets))[kind];
}
