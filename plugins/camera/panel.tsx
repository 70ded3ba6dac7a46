/** A picture, and the camera's settings. */
import { useEffect, useState } from 'preact/hooks';
import {
  Button,
  Card,
  Condition,
  Devices,
  definePanel,
  devicesOf,
  Facts,
  type PageNode,
  type PanelProps,
  type Setting,
  SettingsForm,
  speech,
  useLoaded,
} from '../../runtime/exports/panel.ts';
import { CameraConfig } from './contract.ts';
import { words } from './words.ts';

const say = speech(words);

const POLL_MS = 5000;

const { properties } = CameraConfig;
const SETTINGS: readonly Setting[] = [
  { key: 'width', schema: properties.width, label: 'Width', hint: 'dots, before the picture is turned' },
  { key: 'height', schema: properties.height, label: 'Height', hint: 'dots' },
  { key: 'quality', schema: properties.quality, label: 'Quality', hint: 'empty leaves it to the camera' },
  {
    key: 'rotate',
    schema: properties.rotate,
    label: 'Turned',
    words: { 0: 'not turned', 90: '90° clockwise', 180: 'upside down', 270: '90° anticlockwise' },
  },
];

/** As an object of the page, so that a refusal can be told from a picture. */
interface Shot {
  readonly url: string;
  readonly at: string;
}

function View({ node }: PanelProps) {
  const { data, fault, reload } = useLoaded(node.client.camera, POLL_MS);
  const [shot, setShot] = useState<Shot>();
  useEffect(() => () => URL.revokeObjectURL(shot?.url ?? ''), [shot]);
  const picture = async () => {
    const frame = await node.client.cameraFrame();
    setShot({ url: URL.createObjectURL(frame), at: new Date().toLocaleTimeString() });
    return undefined;
  };
  return (
    <>
      <Card title="Picture">
        {shot && <img src={shot.url} alt={`What the camera saw at ${shot.at}`} />}
        <Button kind="main" onPress={picture}>
          Take a picture
        </Button>
      </Card>
      <Card title="Camera">
        {fault && <p class="bad">{fault}</p>}
        {data && (
          <Facts
            rows={[
              ['Condition', <Condition key="condition" condition={data.condition} />],
              ['Picture', `${data.width} × ${data.height}, Motion JPEG`],
              ['Stream', data.streaming ? 'somebody is watching' : 'nobody is watching'],
            ]}
          />
        )}
      </Card>
      <Card title="Settings">
        <p class="quiet">Stored once a picture of exactly that size was taken.</p>
        {data && (
          <SettingsForm
            settings={SETTINGS}
            values={data.config}
            maySave={node.maySave}
            onSave={async (patch) => {
              await node.client.configureCamera(patch);
              await reload();
            }}
          />
        )}
      </Card>
    </>
  );
}

const devices = ({ status }: PageNode) => devicesOf(status, 'camera', say('title'));

export default definePanel({
  id: 'camera',
  title: say('title'),
  order: 50,
  View,
  devices,
  Overview: ({ node }) => <Devices states={devices(node)} />,
});
