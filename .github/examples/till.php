<?php
// php till.php print|kick|status|events [TEXT]; the node is NODE, http://127.0.0.1:8080 where not given.
// SECRET=… php -S 127.0.0.1:8000 till.php receives the events of a webhook, and writes them to its log.
define('NODE', getenv('NODE') ?: 'http://127.0.0.1:8080');

if (PHP_SAPI === 'cli-server') {
    $body = file_get_contents('php://input');
    $own = 'sha256=' . hash_hmac('sha256', $body, getenv('SECRET'));
    $right = hash_equals($own, $_SERVER['HTTP_X_NODE_SIGNATURE'] ?? '');
    http_response_code($right ? 204 : 401);
    if ($right) file_put_contents('php://stdout', "$body\n");
    return;
}

function ask(string $method, string $path, ?array $body = null, string $header = ''): ?array
{
    $http = ['method' => $method, 'header' => $header, 'timeout' => 30, 'ignore_errors' => true];
    if ($body !== null) $http['content'] = json_encode($body);
    $answer = @file_get_contents(NODE . $path, false, stream_context_create(['http' => $http]));
    return $answer === false ? null : json_decode($answer, true);
}

/** Done once: sent again with its key where the answer is lost, for 90 s. */
function once(string $path, array $command): array
{
    $key = 'Idempotency-Key: ' . bin2hex(random_bytes(16));
    $last = time() + 90;
    do {
        $answer = ask('POST', $path, $command, $key) ?? ['ok' => false, 'error' => 'unreachable'];
        $again = in_array($answer['error'] ?? '', ['unreachable', 'busy', 'key_in_use', 'restarting'], true);
    } while ($again && time() < $last && sleep(1) === 0);
    return $answer; // write_failed: look at the paper
}

$name = bin2hex(random_bytes(16));
switch ($argv[1] ?? '') {
    case 'print':
        $lines = [['type' => 'text', 'value' => $argv[2] ?? 'Hello'], ['type' => 'cut']];
        echo json_encode(once('/print', ['type' => 'print', 'id' => $name, 'endpoint' => 'receipt', 'lines' => $lines])), "\n";
        break;
    case 'kick':
        echo json_encode(once('/drawer/kick', ['type' => 'drawer_kick', 'id' => $name, 'endpoint' => 'receipt'])), "\n";
        break;
    case 'status':
        echo json_encode(ask('GET', '/status')), "\n";
        break;
    case 'events':
        $stream = fopen(NODE . '/events', 'r', false, stream_context_create(['http' => ['timeout' => 60]]));
        while (($line = fgets($stream)) !== false) if (str_starts_with($line, 'data: ')) echo substr($line, 6);
        break;
}
