/** Cards for what plugged in virtual devices declare that can be done with them: a button for each action. */
import { useEffect, useState } from 'preact/hooks';
import { defined } from '../../runtime/base/defined.ts';
import {
  Button,
  Card,
  CheckField,
  deviceName,
  Form,
  language,
  type PageNode,
  speech,
  TextField,
  useLoaded,
} from '../../runtime/page/kit.ts';
import type { TwinDevices } from './client.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

type Device = TwinDevices['devices'][number];
type Action = NonNullable<Device['actions']>[number];

/** One card for each device that can do something. */
export function ActionCards({ node }: { node: PageNode }) {
  const { client, status } = node;
  const { data, reload } = useLoaded(client.twin.devices);
  useEffect(() => void reload(), [status, reload]);
  return (
    <>
      {data?.devices.map(
        (device) =>
          device.attached &&
          device.actions && (
            <Card key={device.name} title={deviceName(device)}>
              {device.actions.map((action) => (
                <ActionForm key={action.name} node={node} device={device} action={action} />
              ))}
            </Card>
          ),
      )}
    </>
  );
}

interface ActionProps {
  readonly node: PageNode;
  readonly device: Device;
  readonly action: Action;
}

function ActionForm({
  node,
  device: { name: device, words: said = {} },
  action: { name: action, argument },
}: ActionProps) {
  const usual = argument?.default;
  const [value, setValue] = useState(usual);
  const named = (name: string) => said[language]?.[name] ?? said['en']?.[name] ?? name;
  const act = async () => {
    const given = typeof usual === 'number' ? Number(value) : value;
    await node.client.twin.act({ device, action, ...defined({ argument: given }) });
    await node.refresh();
    return say('acted');
  };
  if (argument === undefined) return <Button onPress={act}>{named(action)}</Button>;
  const label = named(argument.name);
  return (
    <Form submit={named(action)} onSubmit={act}>
      {typeof usual === 'boolean' ? (
        <CheckField label={label} value={value === true} onValue={setValue} />
      ) : (
        <TextField
          label={label}
          required={typeof usual === 'number'}
          type={typeof usual === 'number' ? 'number' : 'text'}
          step="any"
          value={String(value)}
          onValue={setValue}
        />
      )}
    </Form>
  );
}
